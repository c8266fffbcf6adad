package turnstiletest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// seen is a scenario from the author's point of view: the code, the actions from outside, and the
// outcome.
type seen struct {
	code  func(turnstile.Context, int) (string, error)
	parts []turnstile.Component
	// do is called after the instance "main" has been started, with 3.
	do   func(*turnstiletest.Env, *turnstiletest.Run[string])
	want string
	// err is the error of the instance; nil for an output.
	err     error
	history string
	check   func(turnstiletest.T, *turnstiletest.Env, *turnstiletest.Run[string])
}

func (s *seen) run(t turnstiletest.T) func(*turnstiletest.Env) {
	return func(env *turnstiletest.Env) {
		run := turnstiletest.Start(env, fulfil, 3, client.WithInstanceID("main"))
		if s.do != nil {
			s.do(env, run)
		}
		got, err := run.Wait()
		if got != s.want || !errors.Is(err, s.err) && (s.err != errAny || err == nil) {
			t.Errorf("it ended with %q, %v, want %q, %v", got, err, s.want, s.err)
		}
		env.Run()
		if s.history != "" {
			run.AssertHistory(s.history)
		}
		if s.check != nil {
			s.check(t, env, run)
		}
	}
}

// errAny stands for any error.
var errAny = errors.New("an error")

// look runs each scenario without a crash, with every turn replayed from the store, with every
// message delivered twice, and with a few crashes.
func look(t *testing.T, scenarios map[string]*seen) {
	t.Helper()
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turnstiletest.CrashTest(t, flow(s.code, s.parts...), s.run(t), turnstiletest.WithMaxRuns(10))
		})
	}
}

// numbered answers charge with "r-" and its input, after as many minutes as
// takes says.
func numbered(env *turnstiletest.Env, takes func(n int) int) {
	turnstiletest.On(env, charge).Do(func(ctx context.Context, n int) (string, error) {
		return fmt.Sprint("r-", n), turnstiletest.Sleep(ctx, time.Duration(takes(n))*time.Minute)
	})
}

func atOnce(int) int { return 0 }

// noTime fails the test if more than a minute of virtual time has passed.
func noTime(t turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
	if passed := env.Now().Sub(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)); passed > time.Minute {
		t.Errorf("%s have passed", passed)
	}
}
