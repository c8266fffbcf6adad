package turnstiletest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

var (
	hang = turnstile.NewActivity[int, int]("Hang")
	flow = turnstile.NewOrchestration[int, int]("Flow")
)

// soon makes the package check running code after a short real time.
var soon = option(func(o *options) { o.stall = 50 * time.Millisecond })

// given is a T that records its calls.
type given struct {
	testing.TB
	logs, failure string
}

type givenUp struct{}

func (g *given) Logf(format string, args ...any) { g.logs += fmt.Sprintf(format, args...) }

func (g *given) Fatalf(format string, args ...any) {
	g.failure = fmt.Sprintf(format, args...)
	panic(givenUp{})
}

func TestA06AnAttemptThatJustWaitsForItsContextGetsItsTimeout(t *testing.T) {
	t.Parallel()
	g := &given{TB: t}
	env := New(g, turnstile.NewApp(
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			return hang.With(turnstile.AttemptTimeout(time.Minute)).Call(ctx, n)
		}),
		hang.Implement(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})), soon)
	if _, err := Start(env, flow, 1).Wait(); !errors.Is(err, turnstile.ErrTimeout) {
		t.Errorf("it ended with %v", err)
	}
	if !strings.Contains(g.logs, `activity "Hang"`) || !strings.Contains(g.logs, "turnstiletest.Sleep") {
		t.Errorf("the test was told %q", g.logs)
	}
}

func TestR15OrchestrationCodeThatBlocksFailsTheTestWithItsStack(t *testing.T) {
	t.Parallel()
	g := &given{TB: t}
	blocked, left := make(chan int), make(chan struct{})
	defer func() {
		close(blocked)
		<-left
	}()
	defer func() {
		if _, fatal := recover().(givenUp); !fatal || !strings.Contains(g.failure, "blocks outside durable operations") || !strings.Contains(g.failure, "stall_test.go:") {
			t.Errorf("it failed with %q", g.failure)
		}
	}()
	env := New(g, turnstile.NewApp(flow.Implement(func(turnstile.Context, int) (int, error) {
		defer close(left)
		return <-blocked, nil
	})), soon)
	_, _ = Start(env, flow, 1).Wait()
}

func TestR15CodeThatBlocksInAReplayIsReported(t *testing.T) {
	t.Parallel()
	blocks := false
	blocked, left := make(chan struct{}), make(chan struct{})
	app := turnstile.NewApp(flow.Implement(func(turnstile.Context, int) (int, error) {
		if blocks {
			defer close(left)
			<-blocked
		}
		return 1, nil
	}))
	env := New(t, app)
	run := Start(env, flow, 1)
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, problem := replay(app, run.Instance, 1, run.History(), false, false, time.Hour); problem != "" {
		t.Errorf("code that returns does not replay: %s", problem)
	}
	blocks = true
	_, problem := replay(app, run.Instance, 1, run.History(), false, false, time.Millisecond)
	if !strings.Contains(problem, "blocked") || !strings.Contains(problem, "stall_test.go:") {
		t.Errorf("it is told as %q", problem)
	}
	close(blocked)
	<-left
}

// ticking is a real time that advances by a second each time it is read.
func ticking(from time.Time) Option {
	return option(func(o *options) {
		o.now = func() time.Time {
			from = from.Add(time.Second)
			return from
		}
	})
}

// limitedT has a deadline, as a *testing.T has with -timeout.
type limitedT struct {
	given
	at time.Time
}

func (l *limitedT) Deadline() (time.Time, bool) { return l.at, true }

func TestACrashTestLogsAnEstimateIfItTakesLong(t *testing.T) {
	t.Parallel()
	startedAt := time.Unix(0, 0)
	app := turnstile.NewApp(
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) { return hang.Call(ctx, n) }),
		hang.Implement(func(_ context.Context, n int) (int, error) { return n, nil }))
	run := func(env *Env) { _, _ = Start(env, flow, 1).Wait() }
	l := &limitedT{given{TB: t}, startedAt.Add(24 * time.Hour)}
	done := CrashTest(l, app, run, ticking(startedAt))
	if want := fmt.Sprintf("run 1 of %d took", done.Runs); strings.Count(l.logs, "of real time") != 1 || !strings.Contains(l.logs, want) ||
		!strings.Contains(l.logs, `activity "Hang" took 1s`) || !strings.Contains(l.logs, "turnstiletest.Sleep") {
		t.Errorf("the test was told %q", l.logs)
	}
	l = &limitedT{given{TB: t}, startedAt.Add(time.Minute)}
	func() {
		defer func() { _ = recover() }()
		CrashTest(l, app, run, ticking(startedAt))
	}()
	if !strings.Contains(l.failure, "deadline leaves no time for run") || !strings.Contains(l.failure, `activity "Hang"`) {
		t.Errorf("it failed with %q", l.failure)
	}
}
