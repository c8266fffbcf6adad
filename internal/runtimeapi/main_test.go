//go:build unix

package runtimeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

// The test binary is its own bootstrap: with this variable in its environment
// it speaks the Runtime API, and does what its events say.
const bootstrapVariable = "RUNTIMEAPI_TEST_BOOTSTRAP"

func TestMain(m *testing.M) {
	if mode := os.Getenv(bootstrapVariable); mode != "" {
		bootstrap(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

type event struct {
	Do   string `json:"do"`
	Text string `json:"text"`
	Code int    `json:"code"`
	Size int    `json:"size"`
}

func bootstrap(mode string) {
	base := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/"
	post := func(path string, body []byte) int {
		r, err := http.Post(base+path, "application/json", bytes.NewReader(body))
		check(err)
		check(r.Body.Close())
		return r.StatusCode
	}
	switch mode {
	case "init-error":
		post("init/error", []byte(`{"errorMessage":"TABLE is missing"}`))
		os.Exit(1)
	case "init-exit":
		fmt.Println("no luck today")
		os.Exit(7)
	case "init-hang", "idle":
		block()
	}
	fmt.Println("started with", os.Getenv("GREETING"))
	for {
		r, err := http.Get(base + "invocation/next")
		check(err)
		payload, err := io.ReadAll(r.Body)
		check(err)
		check(r.Body.Close())
		id := r.Header.Get("Lambda-Runtime-Aws-Request-Id")
		answer := "invocation/" + id + "/response"
		var e event
		check(json.Unmarshal(payload, &e))
		switch e.Do {
		case "echo":
			fmt.Println("echoing", e.Text)
			post(answer, payload)
		case "headers":
			body, err := json.Marshal(r.Header)
			check(err)
			post(answer, body)
		case "large":
			post(answer, bytes.Repeat([]byte("x"), e.Size))
		case "error":
			post("invocation/"+id+"/error", []byte(`{"errorMessage":"on purpose"}`))
		case "late": // answers twice, and answers an invocation that never was
			post(answer, []byte(`"first"`))
			fmt.Println("second:", post(answer, []byte(`"second"`)))
			fmt.Println("foreign:", post("invocation/none/response", nil))
		case "exit":
			fmt.Fprintln(os.Stderr, "leaving")
			os.Exit(e.Code)
		case "answer-exit":
			post(answer, []byte(`"bye"`))
			os.Exit(0)
		case "hang": // and is deaf to all but SIGKILL
			signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
			path, err := os.Executable()
			check(err)
			child := exec.Command(path)
			child.Env = []string{bootstrapVariable + "=idle"}
			check(child.Start())
			fmt.Printf("hanging with child %d\n", child.Process.Pid)
			block()
		}
	}
}

// block waits for what never comes; an empty select would be seen as a deadlock.
func block() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	<-never
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bootstrap:", err)
		os.Exit(99)
	}
}

// command runs the test binary as a bootstrap.
func command(t *testing.T, mode string) runtimeapi.Command {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return runtimeapi.Command{Path: path, Env: []string{bootstrapVariable + "=" + mode, "GREETING=" + t.Name()}}
}

// driver returns one that is closed at the end of the test.
func driver(t *testing.T) *runtimeapi.Driver {
	t.Helper()
	d := runtimeapi.NewDriver()
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

func start(t *testing.T, d *runtimeapi.Driver) *runtimeapi.Bootstrap {
	t.Helper()
	b, err := d.Start(within(t), command(t, "serve"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// within is a context that ends a test that hangs.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func invoke(t *testing.T, b *runtimeapi.Bootstrap, e event) ([]byte, error) {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return b.Invoke(within(t), payload, time.Now().Add(time.Minute))
}
