package marks_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

type failure struct{ own history.Failure }

func (f failure) Error() string             { return f.own.Message }
func (f failure) Failure() *history.Failure { return &f.own }

type later struct {
	error
	after time.Duration
}

func (l later) RetryDelay() time.Duration { return l.after }
func (l later) Unwrap() error             { return l.error }

// disguised is a failure only to errors.As.
type disguised struct{ error }

func (d disguised) As(target any) bool {
	f, is := target.(*marks.Failer)
	if is {
		*f = failure{history.Failure{Kind: history.FailureApplication, Code: "disguised"}}
	}
	return is
}

// silent has a Failure method that returns nil.
type silent struct{ error }

func (silent) Failure() *history.Failure { return nil }
func (s silent) Unwrap() error           { return s.error }

func TestMarksAreFoundInTheWholeTree(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	activity := failure{history.Failure{Kind: history.FailureTimeout, Source: "Charge", Retryable: true, Attempt: 3}}
	declined := failure{history.Failure{Kind: history.FailureApplication, Source: "Charge", Code: "declined"}}
	own := failure{history.Failure{Kind: history.FailureApplication, Details: []byte("1")}}
	cancelled := failure{history.Failure{Kind: history.FailureCancelled, Source: "Charge"}}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"none":                           {fmt.Errorf("%w, %w", plain, plain), ``},
		"one":                            {activity, `timeout Charge "" true `},
		"a code and finality beside one": {errors.Join(plain, activity, declined), `timeout Charge "declined" false `},
		"the code's own mark says why":   {errors.Join(activity, errors.Join(plain, own)), `application  "" false 1`},
		"a cancelled operation":          {errors.Join(activity, cancelled), `timeout Charge "" true `},
		"a cancelled operation alone":    {fmt.Errorf("x: %w", cancelled), `cancelled Charge "" false `},
		"found by a method As":           {errors.Join(activity, disguised{plain}), `application  "disguised" false `},
		"one that says nothing":          {silent{activity}, `timeout Charge "" true `},
	} {
		got, m := "", marks.Of(c.err)
		if f := m.Failure; f != nil {
			got = fmt.Sprintf("%s %s %q %t %s", f.Kind, f.Source, f.Code, f.Retryable, f.Details)
			if f.Code != m.Code || m.Code != marks.Code(c.err) {
				t.Errorf("%s: code %q of the failure, %q, %q", name, f.Code, m.Code, marks.Code(c.err))
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestTheLongestDelayOfATreeCounts(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	for want, err := range map[time.Duration]error{
		-1: errors.Join(plain, fmt.Errorf("x: %w", plain)),
		1:  errors.Join(plain, fmt.Errorf("x: %w", later{plain, 1})),
		5:  errors.Join(later{plain, 2}, fmt.Errorf("%w and %w", later{plain, 5}, later{plain, 3})),
		4:  later{errors.Join(later{plain, 9}, plain), 4},
		0:  later{plain, -7},
	} {
		got, asks := marks.Delay(err)
		if !asks {
			got = -1
		}
		if got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}
