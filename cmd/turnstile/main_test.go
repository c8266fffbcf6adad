package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/lint"
	"github.com/turnstile-go/turnstile/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	if isVetTool(os.Args[1:]) {
		unitchecker.Main(lint.Analyzer)
	}
	goleak.VerifyTestMain(m)
}

// hang bounds the waits of tests: a test that reaches it hangs, however slow the machine is.
const hang = 8 * time.Minute

// epoch is the time at which tests begin.
var epoch = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// stillClock stands still until it is told.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

func (c *stillClock) AfterFunc(time.Duration, func()) (stop func() bool) {
	return func() bool { return true }
}

// bench is a command line over a stack in memory.
type bench struct {
	t      *testing.T
	clock  *stillClock
	store  store.Store
	keys   keyring.Memory
	queues deadletter.Queues
	// made is the client to use instead of one over store and queues.
	made *client.Client
	env  map[string]string
	// place to say in place of that of the settings.
	place backend.Place
	// room is how many bytes standard output takes before it is full; 0 for any number.
	room int
	// columns of the terminal at which somebody reads; 0 for a pipe.
	columns int
	stack   pausing.Stack
	// asked is set if the user answers questions.
	asked bool
	// pause is what waits; nil for one that does not.
	pause func(context.Context, time.Duration) bool
	// console by whose API commands about dead letters go; nil for none.
	console http.Handler
	// as is what commands work on in place of the bench; nil for the bench.
	as backend.Backend
	// settings of the command line under way.
	settings *backend.Settings
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, clock: &stillClock{epoch}, store: memorystore.New(), queues: deadletter.Queues{}, env: map[string]string{"TURNSTILE_BATCHES": t.TempDir(), contextsVariable: filepath.Join(t.TempDir(), "contexts.json")}}
	for _, name := range append(deadletter.Sources(), deadletter.DeadFIFO, deadletter.Dead) {
		q, err := memoryqueue.New(memoryqueue.Options{Name: name, FIFO: name == deadletter.Orchestrator || name == deadletter.DeadFIFO, Clock: b.clock})
		if err != nil {
			t.Fatal(err)
		}
		b.queues[name] = q
	}
	return b
}

func (b *bench) queue(name string) *memoryqueue.Queue { return b.queues[name].(*memoryqueue.Queue) }

func (b *bench) Place(context.Context) (backend.Place, error) {
	if b.place != (backend.Place{}) {
		return b.place, nil
	}
	return backend.Place{ID: b.settings.Where(), Words: b.settings.Where()}, nil
}

func (b *bench) Instances(ctx context.Context) (backend.Instances, error) {
	c, err := b.Client(ctx)
	if err != nil {
		return nil, err
	}
	return backend.OfClient(c, b.clock.Now, nil, nil)
}

func (b *bench) Client(context.Context) (*client.Client, error) {
	if b.made != nil {
		return b.made, nil
	}
	codecs, err := b.settings.Codecs()
	if err != nil {
		return nil, err
	}
	c, err := client.New(client.Config{
		Codecs: codecs, Store: b.store, Queue: b.queues[deadletter.Orchestrator], Random: &counting{}, Clock: b.clock,
	})
	if err != nil {
		return nil, err
	}
	return c.WithActor(b.settings.Actor), nil
}

func (b *bench) Letters(_ context.Context, wait time.Duration) (letters.Letters, error) {
	if b.console == nil {
		return letters.OfQueues{Queues: b.queues, Codecs: b.settings.Codecs, Wait: wait, Now: b.clock.Now}, nil
	}
	return letters.OfConsole{Client: remote.Over(b.console, nil)}, nil
}

// byConsole lets commands about dead letters go by a console over the same queues.
func (b *bench) byConsole() *bench {
	b.settings = &backend.Settings{Getenv: func(string) string { return "" }}
	c, err := b.Client(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	if b.console, err = console.Handler(c, console.WithDeadLetters(b.queues, 0), console.AllowActions(), console.WithClock(b.clock.Now)); err != nil {
		b.t.Fatal(err)
	}
	return b
}

func (b *bench) Stack(context.Context) (pausing.Stack, error) {
	if b.stack == nil {
		return nil, pausing.NoSources("this test")
	}
	return b.stack, nil
}

func (b *bench) Checks(func() time.Time, api.Build) []doctor.Check { return nil }

func (b *bench) Archived(context.Context, string) ([]byte, error) {
	return nil, errors.New("this test has no archive")
}

func (b *bench) Console(_ context.Context, poll time.Duration) ([]console.Option, error) {
	return []console.Option{console.WithDeadLetters(b.queues, poll)}, nil
}

// counting makes ids that are the same in every run.
type counting struct {
	mu sync.Mutex
	n  byte
}

func (c *counting) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	for i := range p {
		p[i] = c.n
	}
	return len(p), nil
}

// smallDisk is a disk with room for so many bytes; 0 for any number.
type smallDisk struct {
	to   io.Writer
	room int
}

func (l *smallDisk) Write(p []byte) (int, error) {
	if l.room == 0 {
		return l.to.Write(p)
	}
	n := min(len(p), l.room-1)
	l.room -= n
	_, _ = l.to.Write(p[:n])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// result is what a command line gave.
type result struct {
	status   int
	out, err string
}

func (b *bench) run(args ...string) result {
	b.t.Helper()
	return b.runWith(b.t.Context(), "", args...)
}

func (b *bench) runWith(ctx context.Context, in string, args ...string) result {
	b.t.Helper()
	var out, err bytes.Buffer
	c := cli{
		in: strings.NewReader(in), out: &smallDisk{&out, b.room}, err: &err,
		getenv: func(name string) string { return b.env[name] }, now: b.clock.Now,
		open: func(s *backend.Settings) backend.Backend {
			b.settings = s
			if b.as != nil {
				return b.as
			}
			return b
		},
		person:  func(io.Writer) (int, bool) { return b.columns, b.columns > 0 },
		pause:   b.pause,
		offers:  hang,
		answers: func() bool { return b.asked },
	}
	status := c.run(ctx, args)
	return result{status, out.String(), err.String()}
}

// ok runs a command line that has to succeed, and returns what it prints.
func (b *bench) ok(args ...string) string {
	b.t.Helper()
	r := b.run(args...)
	if r.status != exitOK {
		b.t.Fatalf("turnstile %s: exit status %d, %s", strings.Join(args, " "), r.status, r.err)
	}
	return r.out
}

// fails runs a command line that has to end with that status and say all of
// that.
func (b *bench) fails(status int, says []string, args ...string) {
	b.t.Helper()
	r := b.run(args...)
	if r.status != status {
		b.t.Errorf("turnstile %s: exit status %d, want %d: %s", strings.Join(args, " "), r.status, status, r.err)
	}
	if r.out != "" {
		b.t.Errorf("turnstile %s: it printed %q as its result", strings.Join(args, " "), r.out)
	}
	for _, want := range says {
		if !strings.Contains(r.err, want) {
			b.t.Errorf("turnstile %s: it says %q, without %q", strings.Join(args, " "), r.err, want)
		}
	}
}

// golden compares what was printed with a file; -update rewrites the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s\nwant\n%s", file, got, want)
	}
}

func (r result) String() string {
	s := r.out
	if r.err != "" {
		s += "--- stderr\n" + r.err
	}
	return s
}

// refusing is a queue that refuses what it is asked to do.
type refusing struct {
	queue.Queue
	send, remove bool
}

var errRefused = errors.New("refused")

func (q refusing) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if q.send {
		return errRefused
	}
	return q.Queue.Send(ctx, msgs...)
}

func (q refusing) Delete(ctx context.Context, m queue.Message) error {
	if q.remove {
		return errRefused
	}
	return q.Queue.Delete(ctx, m)
}
