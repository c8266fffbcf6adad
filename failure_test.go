package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

func TestErrorsOfActivitiesAreRecorded(t *testing.T) {
	t.Parallel()
	plain := errors.New("no paper")
	for _, c := range []struct {
		name      string
		err       error
		message   string
		code      string
		retryable bool
	}{
		{"as they are", plain, "no paper", "", true},
		{"A-04 as final when marked NonRetryable", turnstile.NonRetryable(plain), "no paper", "", false},
		{"with their code", turnstile.WithCode(plain, "paper"), "no paper", "paper", true},
		{"with mark and code in either order", turnstile.WithCode(turnstile.NonRetryable(plain), "paper"), "no paper", "paper", false},
		{"and in the other", turnstile.NonRetryable(turnstile.WithCode(plain, "paper")), "no paper", "paper", false},
		{"as final when the second of two joined is marked", errors.Join(turnstile.WithCode(plain, "busy"), turnstile.NonRetryable(errors.New("gone"))), "no paper\ngone", "busy", false},
		{"as final when the first of two joined is marked", errors.Join(turnstile.NonRetryable(errors.New("gone")), turnstile.WithCode(plain, "busy")), "gone\nno paper", "busy", false},
		{"with the marks of two that are wrapped", fmt.Errorf("%w, and %w", turnstile.WithCode(plain, "busy"), turnstile.NonRetryable(errors.New("gone"))), "no paper, and gone", "busy", false},
		{"with the first of two codes", errors.Join(plain, turnstile.WithCode(plain, "first"), turnstile.WithCode(plain, "second")), "no paper\nno paper\nno paper", "first", true},
		{"with a mark around those that are joined", turnstile.WithCode(errors.Join(turnstile.WithCode(plain, "inner"), turnstile.NonRetryable(plain)), "outer"), "no paper\nno paper", "outer", false},
		{"with the code of an orchestration that failed", fmt.Errorf("%w: %w", plain, &client.OrchestrationError{Orchestration: "Ship", Kind: turnstile.KindApplication, Code: "lost"}), `no paper: orchestration "Ship" (instance "") failed: `, "lost", true},
		{"with the whole text when wrapped", fmt.Errorf("printing: %w", turnstile.NonRetryable(plain)), "printing: no paper", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			def := turnstile.NewActivity[int, int]("Print")
			app := turnstile.NewApp(def.Implement(func(context.Context, int) (int, error) { return 0, c.err }))
			entry := ok[activities.Activity](t)(app.Activities().Lookup("Print"))
			_, err := entry.Func(t.Context(), []byte("1"))
			if !errors.Is(err, plain) {
				t.Fatalf("the error is %v, which does not wrap the activity's own", err)
			}
			f := activities.FailureOf(err)
			if f.Message != c.message || f.Code != c.code || f.Retryable != c.retryable || f.Kind != history.FailureApplication {
				t.Errorf("recorded is %+v, want message %q, code %q, retryable %v", *f, c.message, c.code, c.retryable)
			}
			if got := turnstile.ErrorCode(c.err); got != c.code {
				t.Errorf("ErrorCode is %q, want %q", got, c.code)
			}
		})
	}
}

func TestNilErrorsStayNil(t *testing.T) {
	t.Parallel()
	if turnstile.NonRetryable(nil) != nil || turnstile.WithCode(nil, "x") != nil {
		t.Error("a nil error became one")
	}
	ended := fmt.Errorf("the shipment: %w", &client.OrchestrationError{Kind: turnstile.KindApplication, Code: "lost"})
	if code := turnstile.ErrorCode(ended); code != "lost" {
		t.Errorf("the code of an orchestration that failed is %q", code)
	}
	if code := turnstile.ErrorCode(turnstile.WithCode(ended, "own")); code != "own" {
		t.Errorf("the code given last is %q", code)
	}
	if turnstile.ErrorCode(nil) != "" || turnstile.ErrorCode(errors.New("x")) != "" {
		t.Error("an error without a code has one")
	}
}

func TestA17AnInputThatTheTypeCannotTakeFailsForGood(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(double.Implement(doubled))
	entry := ok[activities.Activity](t)(app.Activities().Lookup("Double"))
	_, err := entry.Func(t.Context(), []byte(`{"n":1}`))
	f := activities.FailureOf(err)
	if f.Kind != history.FailureInvalidInput || f.Retryable {
		t.Errorf("recorded is %+v, want kind %s and no retry", *f, history.FailureInvalidInput)
	}
	for _, want := range []string{"Double", "int", "object"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("the message does not mention %q: %s", want, f.Message)
		}
	}
	if _, isDecode := errors.AsType[*turnstile.DecodeError](err); !isDecode {
		t.Errorf("%v is no *DecodeError", err)
	}
}

func TestAResultThatCannotBeEncodedIsNotRetried(t *testing.T) {
	t.Parallel()
	def := turnstile.NewActivity[int, any]("Func")
	app := turnstile.NewApp(def.Implement(func(context.Context, int) (any, error) { return func() {}, nil }))
	entry := ok[activities.Activity](t)(app.Activities().Lookup("Func"))
	_, err := entry.Func(t.Context(), []byte(`1`))
	if f := activities.FailureOf(err); f.Retryable || !strings.Contains(f.Message, `result of activity "Func" (interface {})`) {
		t.Errorf("recorded is %+v", *f)
	}
}

func TestL02AResultOverTheLimitIsTooLarge(t *testing.T) {
	t.Parallel()
	def := turnstile.NewActivity[int, string]("Long")
	app := turnstile.NewApp(def.Implement(func(_ context.Context, n int) (string, error) { return strings.Repeat("x", n), nil }))
	entry := ok[activities.Activity](t)(app.Activities().Lookup("Long"))
	if _, err := entry.Func(t.Context(), fmt.Appendf(nil, "%d", turnstile.MaxPayload-2)); err != nil {
		t.Errorf("a result at the limit: %v", err)
	}
	_, err := entry.Func(t.Context(), fmt.Appendf(nil, "%d", turnstile.MaxPayload-1))
	if f := activities.FailureOf(err); f.Kind != history.FailureTooLarge || f.Retryable {
		t.Errorf("recorded is %+v, want kind %s", *f, history.FailureTooLarge)
	}
	large, isLarge := errors.AsType[*turnstile.PayloadTooLargeError](err)
	if !isLarge || large.Size != turnstile.MaxPayload+1 || large.Limit != turnstile.MaxPayload {
		t.Errorf("%v does not name size and limit", err)
	}
}
