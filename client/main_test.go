package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when virtual time begins.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// What the tests start and speak to.
var (
	double    = turnstile.NewActivity[int, int]("Double")
	calculate = turnstile.NewOrchestration[int, int]("Calculate")
	child     = turnstile.NewOrchestration[string, string]("Child")
	approved  = turnstile.NewEvent[approval]("approved")
)

type approval struct{ By string }

func doubled(_ context.Context, n int) (int, error) { return 2 * n, nil }

func calculated(ctx turnstile.Context, n int) (int, error) { return double.Call(ctx, n) }

// greet fails for "fail", waits for ever for "wait".
func greet(ctx turnstile.Context, who string) (string, error) {
	switch who {
	case "fail":
		return "", turnstile.WithCode(errors.New("nobody there"), "absent")
	case "wait":
		_, err := turnstile.NewEvent[int]("never").Wait(ctx)
		return "", err
	}
	return "hello " + who, nil
}

// env is an application that runs in virtual time until the test ends.
type env struct {
	*embedded.Runtime
	t      *testing.T
	client *client.Client
	ctx    context.Context
}

// arrange makes an environment that does not run yet.
func arrange(t *testing.T, options []embedded.Option, parts ...turnstile.Component) *env {
	t.Helper()
	options = append([]embedded.Option{embedded.WithVirtualTime(epoch)}, options...)
	e, err := embedded.New(turnstile.NewApp(parts...), options...)
	if err != nil {
		t.Fatal(err)
	}
	// The deadline is for a test that hangs, and for none that works.
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(stop)
	return &env{Runtime: e, t: t, client: e.Client(), ctx: ctx}
}

// run lets the environment run until the test ends.
func (e *env) run() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	e.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			e.t.Error(err)
		}
	})
}

func start(t *testing.T, parts ...turnstile.Component) *env {
	t.Helper()
	e := arrange(t, nil, parts...)
	e.run()
	return e
}

func (e *env) history(instance string) []history.Event {
	e.t.Helper()
	events, err := e.client.History(e.ctx, instance, 0)
	if err != nil {
		e.t.Fatal(err)
	}
	return events
}

// ok fails the test on an error and returns the value.
func ok[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
