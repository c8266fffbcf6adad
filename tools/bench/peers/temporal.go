package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

// temporal is the development server of Temporal's command line, a process of its
// own with a file of SQLite, and a worker in this one.
type temporal struct {
	server *exec.Cmd
	client client.Client
	worker worker.Worker
}

// temporalOf has the workflow of each work.
var temporalOf = map[work]any{
	chain: temporalChain, fanOut: temporalFanOut, hello: temporalHello, greetAll: temporalGreetAll,
	transfer: temporalTransfer, trip: temporalTrip, ask: temporalAsked,
}

// temporalBinary is where fetch.sh builds it, as seen from tools/bench/peers.
const temporalBinary = ".local/peers/bin/temporal"

func newTemporal(ctx context.Context, file, synchronous string) (engine, error) {
	binary, err := above(temporalBinary)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	e := &temporal{server: exec.Command(binary, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--log-level", "never",
		"--db-filename", file, "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous="+strings.ToLower(synchronous))}
	if err := e.server.Start(); err != nil {
		return nil, err
	}
	if err := e.connect(ctx, "127.0.0.1:"+port); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *temporal) connect(ctx context.Context, address string) (err error) {
	quiet := sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for end := time.Now().Add(time.Minute); ; {
		e.client, err = client.DialContext(ctx, client.Options{HostPort: address, Logger: quiet})
		if err == nil {
			break
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("temporal's server does not answer: %w", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	e.worker = worker.New(e.client, "peers", worker.Options{})
	e.worker.RegisterWorkflow(temporalAccount)
	for _, f := range temporalOf {
		e.worker.RegisterWorkflow(f)
	}
	for _, f := range []any{temporalAdd, temporalSayHello, temporalBook, temporalCancel} {
		e.worker.RegisterActivity(f)
	}
	return e.worker.Start()
}

// above finds a file in this folder or one above.
func above(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if file := filepath.Join(dir, name); isFile(file) {
			return file, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no %s here or above: tools/bench/peers/fetch.sh builds it", name)
		}
		dir = filepath.Dir(dir)
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

func (e *temporal) run(ctx context.Context, s shape, id string) (int, error) {
	return s.made(e.finish(ctx, id, temporalOf[s.work], s.input(id)))
}

// finish runs a workflow to its end.
func (e *temporal) finish(ctx context.Context, id string, f, input any) (n int, err error) {
	run, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "peers"}, f, input)
	if err != nil {
		return 0, err
	}
	return n, run.Get(ctx, &n)
}

func (e *temporal) openAccount(ctx context.Context, id string) error {
	_, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "peers"}, temporalAccount, opening)
	return err
}

func (e *temporal) closeAccount(ctx context.Context, id string) (balance int, err error) {
	if err := e.client.SignalWorkflow(ctx, id, "", "posted", workloads.Posting{Close: true}); err != nil {
		return 0, err
	}
	return balance, e.client.GetWorkflow(ctx, id, "").Get(ctx, &balance)
}

// openAsked: a query is answered between two workflow tasks, so it is asked until the steps are made.
func (e *temporal) openAsked(ctx context.Context, n int, id string) error {
	if _, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "peers"}, temporalAsked, n); err != nil {
		return err
	}
	for {
		v, err := e.ask(ctx, id)
		if err != nil || v == n {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (e *temporal) ask(ctx context.Context, id string) (n int, err error) {
	answer, err := e.client.QueryWorkflow(ctx, id, "", "steps")
	if err != nil {
		return 0, err
	}
	return n, answer.Get(&n)
}

func (e *temporal) closeAsked(ctx context.Context, id string) (n int, err error) {
	if err := e.client.SignalWorkflow(ctx, id, "", "finished", nil); err != nil {
		return 0, err
	}
	return n, e.client.GetWorkflow(ctx, id, "").Get(ctx, &n)
}

// cpu is what the server has used, as /proc of Linux tells it: clock ticks of ten
// milliseconds, user and system.
func (e *temporal) cpu() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", e.server.Process.Pid))
	if err != nil {
		return 0
	}
	// Behind the name in parentheses, which may have spaces.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func (e *temporal) close() error {
	if e.worker != nil {
		e.worker.Stop()
	}
	if e.client != nil {
		e.client.Close()
	}
	if err := e.server.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	// It ends with a status of its own.
	_ = e.server.Wait()
	return nil
}
