package turnstiletest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// Mock answers calls of one activity instead of its implementation. If an activity has several
// mocks, the first one that matches the input and has calls left answers. If no mock answers, the
// application's implementation runs; without an implementation the test fails.
type Mock[In, Out any] struct {
	source string
	match  func(In) bool
	times  int // 0 for any
	after  time.Duration
	answer func(context.Context, In) (Out, error)
	inputs []In
}

// mocked has the mocks of one activity, untyped.
type mocked struct {
	source string
	typed  any
	call   activities.Func
}

// mocks are the mocks of one activity.
type mocks[In, Out any] struct {
	env  *Env
	name string
	all  []*Mock[In, Out]
	// answers has the answering mock of each attempt. A redelivery is answered by the same mock,
	// and does not count as a further call.
	answers map[attemptKey]*Mock[In, Out]
}

// On adds a mock for an activity. Give it an answer with Return or Do:
//
//	turnstiletest.On(env, Charge).Return(Receipt{}, errors.New("busy")).Times(2)
//	large := func(o Order) bool { return o.Total > 1000 }
//	turnstiletest.On(env, Charge).Match(large).Return(Receipt{}, ErrDeclined)
//	turnstiletest.On(env, Charge).Return(Receipt{ID: "r-1"}, nil).After(time.Minute)
//
// Each attempt is one call: a retry is a further call, but the redelivery of an attempt is not.
// Retry policies and timeouts apply as for an implementation.
func On[In, Out any](env *Env, a turnstile.Activity[In, Out]) *Mock[In, Out] {
	env.t.Helper()
	m := &Mock[In, Out]{source: caller()}
	if known, ok := env.mocked[a.Name()]; ok {
		set, same := known.typed.(*mocks[In, Out])
		if !same {
			env.t.Fatalf("turnstiletest: activity %q is mocked with different types at %s and at %s: use one declaration for each name", a.Name(), known.source, m.source)
		}
		set.all = append(set.all, m)
		return m
	}
	set := &mocks[In, Out]{env: env, name: a.Name(), all: []*Mock[In, Out]{m}, answers: map[attemptKey]*Mock[In, Out]{}}
	// The declaration decodes the input and encodes the result, as it does for an implementation.
	app := turnstile.NewApp(a.Implement(set.call))
	entry, err := app.Activities().Lookup(a.Name())
	if err != nil {
		env.t.Fatalf("turnstiletest: On: the activity cannot be mocked: %v", app.Err())
	}
	env.mocked[a.Name()] = mocked{source: m.source, typed: set, call: entry.Func}
	env.restart()
	return m
}

// Return sets the answer: a result or an error. The error is recorded and retried like the error of
// an implementation.
func (m *Mock[In, Out]) Return(out Out, err error) *Mock[In, Out] {
	return m.Do(func(context.Context, In) (Out, error) { return out, err })
}

// Do sets a function whose result is the answer. f gets the context of the attempt, with which
// Heartbeat, ActivityInfo and Sleep work.
func (m *Mock[In, Out]) Do(f func(context.Context, In) (Out, error)) *Mock[In, Out] {
	m.answer = f
	return m
}

// Match restricts the mock to calls whose input satisfies fits.
func (m *Mock[In, Out]) Match(fits func(In) bool) *Mock[In, Out] {
	m.match = fits
	return m
}

// Once is Times(1).
func (m *Mock[In, Out]) Once() *Mock[In, Out] { return m.Times(1) }

// Times limits the mock to n calls. Without it there is no limit.
func (m *Mock[In, Out]) Times(n int) *Mock[In, Out] {
	m.times = n
	return m
}

// After lets d of virtual time pass before each answer. A timeout, or a request to stop that
// reaches the attempt, ends the wait early.
func (m *Mock[In, Out]) After(d time.Duration) *Mock[In, Out] {
	m.after = d
	return m
}

// Calls returns how many calls the mock has answered.
func (m *Mock[In, Out]) Calls() int { return len(m.inputs) }

// Inputs returns the inputs of the calls that the mock has answered, in order.
func (m *Mock[In, Out]) Inputs() []In { return slices.Clone(m.inputs) }

// call is the implementation that chooses a mock.
func (s *mocks[In, Out]) call(ctx context.Context, in In) (Out, error) {
	var zero Out
	info := turnstile.ActivityInfo(ctx)
	key := attemptKey{info.IdempotencyKey, info.Number}
	m := s.answers[key]
	if m == nil {
		if m = s.choose(in); m == nil {
			return zero, s.noAnswer()
		}
		s.answers[key] = m
		m.inputs = append(m.inputs, in)
	}
	if m.answer == nil {
		s.env.fail("the mock of activity %q at %s has no answer: give it Return or Do", s.name, m.source)
		return zero, turnstile.NonRetryable(fmt.Errorf("the mock of activity %q has no answer", s.name))
	}
	if m.after > 0 {
		if err := Sleep(ctx, m.after); err != nil {
			return zero, err
		}
	}
	return m.answer(ctx, in)
}

func (s *mocks[In, Out]) choose(in In) *Mock[In, Out] {
	for _, m := range s.all {
		if (m.times == 0 || len(m.inputs) < m.times) && (m.match == nil || m.match(in)) {
			return m
		}
	}
	return nil
}

func (s *mocks[In, Out]) noAnswer() error {
	var reasons []string
	for _, m := range s.all {
		why := "its Match rejects the input"
		if m.times > 0 && len(m.inputs) >= m.times {
			why = fmt.Sprintf("it has answered its %d calls", m.times)
		}
		reasons = append(reasons, fmt.Sprintf("\n  the mock at %s does not answer: %s", m.source, why))
	}
	return &noAnswerError{strings.Join(reasons, "")}
}

// noAnswerError has the reasons why no mock answers.
type noAnswerError struct{ reasons string }

func (e *noAnswerError) Error() string { return e.reasons }

// caller returns the file and line of the caller's caller.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return file + ":" + strconv.Itoa(line)
}
