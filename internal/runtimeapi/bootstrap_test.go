//go:build unix

package runtimeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

func TestAnEventIsAnsweredByteForByte(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	payload := []byte(`{ "do" : "echo", "text":"hé" }`)
	got, err := b.Invoke(within(t), payload, time.Now().Add(time.Minute))
	if err != nil || !bytes.Equal(got, payload) {
		t.Fatalf("got %q, %v, want %q", got, err, payload)
	}
	if err := b.AwaitOutput(within(t), "echoing hé\n"); err != nil {
		t.Fatal(err)
	}
	if want := "started with " + t.Name() + "\nechoing hé\n"; b.Output() != want {
		t.Errorf("output %q, want %q", b.Output(), want)
	}
}

func TestAnInvocationCarriesItsHeaders(t *testing.T) {
	t.Parallel()
	c := command(t, "serve")
	c.FunctionARN = "arn:aws:lambda:us-east-1:000000000000:function:turns"
	b, err := driver(t).Start(within(t), c)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	ids := map[string]bool{}
	for range 2 {
		got, err := b.Invoke(within(t), []byte(`{"do":"headers"}`), deadline)
		if err != nil {
			t.Fatal(err)
		}
		var h http.Header
		if err := json.Unmarshal(got, &h); err != nil {
			t.Fatal(err)
		}
		if d := h.Get("Lambda-Runtime-Deadline-Ms"); d != strconv.FormatInt(deadline.UnixMilli(), 10) {
			t.Errorf("deadline %s, want %d", d, deadline.UnixMilli())
		}
		if arn := h.Get("Lambda-Runtime-Invoked-Function-Arn"); arn != c.FunctionARN {
			t.Errorf("function %q", arn)
		}
		ids[h.Get("Lambda-Runtime-Aws-Request-Id")] = true
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("request ids %v, want two different ones", ids)
	}
}

func TestALargeResponseArrivesWhole(t *testing.T) {
	t.Parallel()
	got, err := invoke(t, start(t, driver(t)), event{Do: "large", Size: 6 << 20})
	if err != nil || len(got) != 6<<20 {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
}

func TestAnErrorOfTheFunctionIsReturned(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	_, err := invoke(t, b, event{Do: "error"})
	var failed *runtimeapi.FunctionError
	if !errors.As(err, &failed) || failed.Init || string(failed.Payload) != `{"errorMessage":"on purpose"}` {
		t.Fatalf("got %v", err)
	}
	if _, err := invoke(t, b, event{Do: "echo"}); err != nil {
		t.Fatalf("the process should serve on: %v", err)
	}
}

func TestUnexpectedResponsesAreRefused(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	if got, err := invoke(t, b, event{Do: "late"}); err != nil || string(got) != `"first"` {
		t.Fatalf("got %s, %v", got, err)
	}
	for _, line := range []string{"second: 400\n", "foreign: 400\n"} {
		if err := b.AwaitOutput(within(t), line); err != nil {
			t.Error(err)
		}
	}
}

func TestAnExitInTheMiddleIsReturnedWithTheOutput(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	_, err := invoke(t, b, event{Do: "exit", Code: 3})
	var exit *runtimeapi.ExitError
	if !errors.As(err, &exit) || exit.State.ExitCode() != 3 || !strings.Contains(exit.Output, "leaving") {
		t.Fatalf("got %v", err)
	}
	if _, err := invoke(t, b, event{Do: "echo"}); !errors.As(err, &exit) {
		t.Fatalf("a process that ended was invoked: %v", err)
	}
}

func TestAProcessThatAnswersAndExitsHasAnswered(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	if got, err := invoke(t, b, event{Do: "answer-exit"}); err != nil || string(got) != `"bye"` {
		t.Fatalf("got %s, %v", got, err)
	}
	await(t, b.Exited())
}

func TestAKillInTheMiddleEndsTheInvocationAndTheProcessGroup(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	result := make(chan error, 1)
	go func() {
		_, err := b.Invoke(within(t), []byte(`{"do":"hang"}`), time.Now().Add(time.Minute))
		result <- err
	}()
	if err := b.AwaitOutput(within(t), "hanging with child"); err != nil {
		t.Fatal(err)
	}
	b.Kill()
	err := await(t, result)
	var exit *runtimeapi.ExitError
	if !errors.As(err, &exit) || exit.State.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("got %v", err)
	}
	var child int
	if _, err := fmt.Sscanf(exit.Output[strings.Index(exit.Output, "hanging"):], "hanging with child %d", &child); err != nil {
		t.Fatal(err)
	}
	// Its new parent reaps it, so it may be there for a moment more.
	for syscall.Kill(child, 0) == nil && !isZombie(t, child) {
		if within(t).Err() != nil {
			t.Fatalf("child %d is left", child)
		}
	}
	b.Kill() // of one that is gone: nothing
}

func TestARestartStartsANewProcess(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	if err := b.Restart(within(t)); !errors.Is(err, runtimeapi.ErrRunning) {
		t.Fatalf("got %v", err)
	}
	first := b.PID()
	b.Kill()
	if err := b.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	if b.PID() == first {
		t.Errorf("still process %d", first)
	}
	if _, err := invoke(t, b, event{Do: "echo", Text: "again"}); err != nil {
		t.Fatal(err)
	}
	if err := b.AwaitOutput(within(t), "echoing again\n"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.Output(), "started with"); n != 2 {
		t.Errorf("output of %d processes, want 2: %s", n, b.Output())
	}
}

func TestADeadlineThatPassesKillsTheProcess(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	_, err := b.Invoke(within(t), []byte(`{"do":"hang"}`), time.Now().Add(50*time.Millisecond))
	var late *runtimeapi.TimeoutError
	if !errors.As(err, &late) {
		t.Fatalf("got %v", err)
	}
	await(t, b.Exited())
}

func TestAContextThatEndsKillsTheProcess(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	ctx, cancel := context.WithCancel(within(t))
	result := make(chan error, 1)
	go func() {
		_, err := b.Invoke(ctx, []byte(`{"do":"hang"}`), time.Now().Add(time.Minute))
		result <- err
	}()
	if err := b.AwaitOutput(within(t), "hanging"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := await(t, result); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	await(t, b.Exited())
}

func TestInvocationsOfOneProcessAreSequential(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			text := strconv.Itoa(i)
			got, err := invoke(t, b, event{Do: "echo", Text: text})
			if err != nil || !bytes.Contains(got, []byte(`"text":"`+text+`"`)) {
				t.Errorf("invocation %d got %s, %v", i, got, err)
			}
		})
	}
	wait.Wait()
}

func TestAwaitOutputEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	b := start(t, driver(t))
	b.Kill()
	var exit *runtimeapi.ExitError
	if err := b.AwaitOutput(within(t), "never written"); !errors.As(err, &exit) {
		t.Fatalf("got %v", err)
	}
}

func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-within(t).Done():
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
