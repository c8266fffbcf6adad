//go:build unix

package runtimeapi_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

func TestSeveralProcessesRunAtOnce(t *testing.T) {
	t.Parallel()
	d := driver(t)
	pids := map[int]bool{}
	var wait sync.WaitGroup
	for range 4 {
		b := start(t, d)
		pids[b.PID()] = true
		wait.Go(func() {
			if _, err := b.Invoke(within(t), []byte(`{"do":"hang"}`), time.Now().Add(time.Minute)); err == nil {
				t.Error("a process that hangs answered")
			}
		})
		if err := b.AwaitOutput(within(t), "hanging"); err != nil { // each while the ones before hang
			t.Error(err)
		}
	}
	if len(pids) != 4 {
		t.Errorf("processes %v, want 4", pids)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait() // Close ended the invocations
}

func TestAFailedStartSaysWhy(t *testing.T) {
	t.Parallel()
	d := driver(t)

	t.Run("the function reports it", func(t *testing.T) {
		_, err := d.Start(within(t), command(t, "init-error"))
		var failed *runtimeapi.FunctionError
		if !errors.As(err, &failed) || !failed.Init || !strings.Contains(err.Error(), "TABLE is missing") {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("the process ends", func(t *testing.T) {
		_, err := d.Start(within(t), command(t, "init-exit"))
		var exit *runtimeapi.ExitError
		if !errors.As(err, &exit) || exit.State.ExitCode() != 7 || exit.Output != "no luck today\n" {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("it hangs until the context ends", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(within(t), 50*time.Millisecond)
		defer cancel()
		if _, err := d.Start(ctx, command(t, "init-hang")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("there is no such program", func(t *testing.T) {
		_, err := d.Start(within(t), runtimeapi.Command{Path: t.TempDir() + "/bootstrap"})
		if !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestCloseLeavesNothingAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	d := runtimeapi.NewDriver()
	one, two := start(t, d), start(t, d)
	two.Kill()
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	await(t, one.Exited())
	if _, err := d.Start(within(t), command(t, "serve")); !errors.Is(err, runtimeapi.ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
	if err := one.Restart(within(t)); !errors.Is(err, runtimeapi.ErrClosed) {
		t.Errorf("Restart after Close: %v", err)
	}
}

func TestTheLogGetsACopy(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := command(t, "serve")
	c.Log = &log
	d := driver(t)
	if _, err := d.Start(within(t), c); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "started with " + t.Name() + "\n"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
}

func TestALogThatCannotBeWrittenIsReportedByClose(t *testing.T) {
	t.Parallel()
	c := command(t, "serve")
	c.Log = brokenWriter{}
	d := runtimeapi.NewDriver()
	if _, err := d.Start(within(t), c); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// isZombie says whether a process has ended and is only not reaped yet.
func isZombie(t *testing.T, pid int) bool {
	t.Helper()
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}
