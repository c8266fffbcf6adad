package turnstile_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when virtual time starts.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// env returns an application that runs in virtual time until the test ends.
type env struct {
	*embedded.Runtime
	t      *testing.T
	client *client.Client
	ctx    context.Context
}

// arrange creates an environment that does not run yet.
func arrange(t *testing.T, options []embedded.Option, parts ...turnstile.Component) *env {
	t.Helper()
	options = append([]embedded.Option{embedded.WithVirtualTime(epoch)}, options...)
	e, err := embedded.New(turnstile.NewApp(parts...), options...)
	if err != nil {
		t.Fatal(err)
	}
	// The deadline only ends a test that hangs.
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

// kinds returns the kinds of the events, by name.
func kinds(events []history.Event) []string {
	names := make([]string, len(events))
	for i := range events {
		names[i] = events[i].Kind.String()
	}
	return names
}

// replay runs a history against an application, and returns the outcome of a turn without new
// events.
func replay(t *testing.T, app *turnstile.App, instance string, events []history.Event) engine.Turn {
	t.Helper()
	if err := app.Err(); err != nil {
		t.Fatal(err)
	}
	x := engine.New(engine.Config{Instance: instance, ExecutionID: 1, Registry: app.Orchestrations()})
	defer x.Close()
	if err := x.Feed(events, false); err != nil {
		t.Fatal(err)
	}
	turn, err := x.Run(engine.Input{NowMS: epoch.UnixMilli()})
	if err != nil {
		t.Fatal(err)
	}
	return turn
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
