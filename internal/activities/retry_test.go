package activities_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

func TestA05Delay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		retry   *history.Retry
		attempt int
		random  float64
		want    time.Duration
	}{
		{"no policy", nil, 2, 0, 0},
		{"the first attempt", &history.Retry{InitialMS: 1000}, 1, 0, 0},
		{"the second", &history.Retry{InitialMS: 1000}, 2, 0, time.Second},
		{"the default coefficient is 2", &history.Retry{InitialMS: 1000}, 5, 0, 8 * time.Second},
		{"another coefficient", &history.Retry{InitialMS: 1000, Coefficient: 3}, 4, 0, 9 * time.Second},
		{"a coefficient of 1", &history.Retry{InitialMS: 1000, Coefficient: 1}, 9, 0, time.Second},
		{"the longest", &history.Retry{InitialMS: 1000, MaxMS: 5000}, 9, 0, 5 * time.Second},
		{"an hour, not cut to a queue's longest", &history.Retry{InitialMS: 3_600_000}, 2, 0, time.Hour},
		{"all of it random, at the least", &history.Retry{InitialMS: 1000, Jitter: 1}, 2, 0, 0},
		{"half of it random, at the least", &history.Retry{InitialMS: 1000, Jitter: 0.5}, 2, 0, 500 * time.Millisecond},
		{"half of it random, in the middle", &history.Retry{InitialMS: 1000, Jitter: 0.5}, 2, 0.5, 750 * time.Millisecond},
		{"no interval, and a power beyond all bounds", &history.Retry{MaxMS: 1, Coefficient: 100, Jitter: 1}, 157, 0.999, 0},
		{"beyond all bounds", &history.Retry{InitialMS: math.MaxInt64, Coefficient: 1e300}, 1000, 0, math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := activities.Delay(c.retry, c.attempt, c.random); got != c.want {
				t.Errorf("delay %s, want %s", got, c.want)
			}
		})
	}
}

func TestA05DelaysStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &history.Retry{
			InitialMS:   rapid.Int64Range(0, 1e9).Draw(t, "initial"),
			MaxMS:       rapid.Int64Range(1, 1e9).Draw(t, "max"),
			Coefficient: rapid.Float64Range(1, 100).Draw(t, "coefficient"),
			Jitter:      rapid.Float64Range(0, 1).Draw(t, "jitter"),
		}
		attempt := rapid.IntRange(2, 200).Draw(t, "attempt")
		got := activities.Delay(r, attempt, rapid.Float64Range(0, 0.999).Draw(t, "random"))
		longest := activities.Delay(&history.Retry{InitialMS: r.InitialMS, MaxMS: r.MaxMS, Coefficient: r.Coefficient}, attempt, 0)
		least := time.Duration(float64(longest) * (1 - r.Jitter))
		if got < least-time.Microsecond || got > longest || longest > time.Duration(r.MaxMS)*time.Millisecond {
			t.Fatalf("delay %s, want %s to %s", got, least, longest)
		}
	})
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	three := &history.Retry{MaxAttempts: 3, FinalCodes: []string{"gone"}}
	for _, c := range []struct {
		name    string
		retry   *history.Retry
		failure history.Failure
		attempt int
		want    bool
	}{
		{"no policy", nil, history.Failure{Retryable: true}, 1, false},
		{"attempts left", three, history.Failure{Retryable: true}, 2, true},
		{"none left", three, history.Failure{Retryable: true}, 3, false},
		{"A-04 not open to it", three, history.Failure{}, 1, false},
		{"a final code", three, history.Failure{Retryable: true, Code: "gone"}, 1, false},
		{"another code", three, history.Failure{Retryable: true, Code: "busy"}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := activities.Retryable(c.retry, &c.failure, c.attempt); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
}

// A failure that its caller sees as retryable is retried while attempts are left.
func TestAFailureWithAFinalCodeWasNotOpenToAnotherAttempt(t *testing.T) {
	t.Parallel()
	retry := &history.Retry{MaxAttempts: 3, FinalCodes: []string{"gone"}}
	for code, want := range map[string]bool{"gone": false, "busy": true, "": true} {
		f := &history.Failure{Code: code, Retryable: true}
		if got := activities.Settled(retry, f); got.Retryable != want || got.Code != code || !f.Retryable {
			t.Errorf("with code %q it is %+v, and was %+v", code, got, f)
		}
	}
	if got := activities.Settled(nil, &history.Failure{Code: "gone", Retryable: true}); !got.Retryable {
		t.Error("without a policy no code is final")
	}
}
