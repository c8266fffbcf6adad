package turnstile_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestNoMoreAttemptsRunThanALimitAllows(t *testing.T) {
	t.Parallel()
	var running, most, ended atomic.Int32
	meet := make(chan bool)
	work := func(ctx context.Context, _ int) (int, error) {
		n := running.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		// Each attempt waits for another one, so two do run at the same time.
		select {
		case meet <- true:
		case <-meet:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		running.Add(-1)
		ended.Add(1)
		return 0, nil
	}
	// Two activities share a key.
	limited := turnstile.Limit("stripe", 2)
	charge := turnstile.NewActivity[int, int]("Charge").With(limited)
	refund := turnstile.NewActivity[int, int]("Refund").With(limited)
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t, charge.Implement(work), refund.Implement(work), flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		var all []turnstile.Future[int]
		for i := range n {
			all = append(all, charge.Start(ctx, i), refund.Start(ctx, i))
		}
		_, err := turnstile.Join(ctx, all...)
		return len(all), err
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 2))
	ok[int](t)(run.Wait(e.ctx))
	if most.Load() > 2 || ended.Load() != 4 {
		t.Errorf("%d ran at a time, %d ended; want at most 2, and 4", most.Load(), ended.Load())
	}
	if r := e.history(run.Instance)[1].Retry; r == nil || r.LimitKey != "stripe" || r.Limit != 2 {
		t.Errorf("recorded is %+v", r)
	}
}

func TestWrongLimitsAreRefusedWhereTheyAreDeclared(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	for name, c := range map[string]struct {
		options []turnstile.ActivityOption
		want    string
	}{
		"a limit of 0":              {[]turnstile.ActivityOption{turnstile.Limit("stripe", 0)}, "is 0; it must be from 1 to 100"},
		"a limit of 101":            {[]turnstile.ActivityOption{turnstile.Limit("stripe", 101)}, "is 101; it must be from 1 to 100"},
		"no key":                    {[]turnstile.ActivityOption{turnstile.Limit("", 1)}, "is empty"},
		"a key of 10 kB":            {[]turnstile.ActivityOption{turnstile.Limit(long, 1)}, "has 10000 bytes; the maximum is 256"},
		"a key that is not UTF-8":   {[]turnstile.ActivityOption{turnstile.Rate("\xff", 1, time.Second)}, "is not UTF-8"},
		"a line separator":          {[]turnstile.ActivityOption{turnstile.Limit("a\u2028b", 1)}, "line separator U+2028"},
		"a writing direction":       {[]turnstile.ActivityOption{turnstile.Rate("a\u202eb", 1, 1)}, "text direction mark U+202E"},
		"a control character":       {[]turnstile.ActivityOption{turnstile.Limit("a\tb", 1)}, "control character U+0009"},
		"a rate without a span":     {[]turnstile.ActivityOption{turnstile.Rate("stripe", 1, 0)}, "is 0s; it must be more than 0"},
		"another limit of the key":  {[]turnstile.ActivityOption{turnstile.Limit("known", 4)}, `is 4 for the key "known", but activity "Known"`},
		"another rate of the key":   {[]turnstile.ActivityOption{turnstile.Rate("known", 3, time.Minute)}, `is 3 in 1m0s for the key "known", but activity "Known"`},
		"the same numbers":          {[]turnstile.ActivityOption{turnstile.Limit("known", 3), turnstile.Rate("known", 3, time.Second)}, ""},
		"another limit, other keys": {[]turnstile.ActivityOption{turnstile.Limit("b", 4)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := turnstile.NewActivity[int, int]("Known").With(turnstile.Limit("known", 3), turnstile.Rate("known", 3, time.Second))
			err := turnstile.NewApp(known.Implement(doubled), turnstile.NewActivity[int, int]("Work").With(c.options...).Implement(doubled)).Err()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if invalid, is := errors.AsType[*turnstile.InvalidArgumentError](err); c.want != "" && !is {
				t.Errorf("%v is no InvalidArgumentError: %v", err, invalid)
			}
		})
	}
}
