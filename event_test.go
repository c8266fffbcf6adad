package turnstile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

type approval struct{ By string }

var (
	approved = turnstile.NewEvent[approval]("approved")
	ask      = turnstile.NewOrchestration[time.Duration, string]("Ask")
)

func asked(ctx turnstile.Context, within time.Duration) (string, error) {
	a, err := approved.WaitTimeout(ctx, within)
	if timeout, isTimeout := errors.AsType[*turnstile.TimeoutError](err); isTimeout {
		return "late: " + timeout.Error(), nil
	}
	return a.By, err
}

func TestE01AnEventDeliversItsData(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		want string
	}{
		"E-01 data":            {`{"By":"Grace"}`, "Grace"},
		"E-01 null is zero":    {`null`, ""},
		"E-01 empty is zero":   {`{}`, ""},
		"E-01 nothing is zero": {``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := arrange(t, nil, ask.Implement(asked))
			run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, ask, time.Hour))
			if err := e.client.Raise(e.ctx, client.RaiseRequest{Instance: run.Instance, Name: "approved", Data: []byte(c.data)}); err != nil {
				t.Fatal(err)
			}
			e.run()
			if got := ok[string](t)(run.Wait(e.ctx)); got != c.want {
				t.Errorf("output %q, want %q", got, c.want)
			}
		})
	}
}

func TestE07AWaitWithATimeoutIsATypedTimeout(t *testing.T) {
	t.Parallel()
	next := turnstile.NewOrchestration[int, string]("Next")
	e := arrange(t, nil, next.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		_, err := approved.WaitTimeout(ctx, time.Hour)
		if timeout, isTimeout := errors.AsType[*turnstile.TimeoutError](err); !isTimeout || timeout.Name != "approved" || timeout.After != time.Hour || !errors.Is(err, turnstile.ErrTimeout) {
			return "", errors.Join(errors.New("no timeout"), err)
		}
		a, err := approved.Wait(ctx)
		return a.By, err
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, next, 1))
	// E-07: an event that arrives later goes to the next wait for that name.
	e.AfterFunc(2*time.Hour, func() {
		if err := client.Raise(e.ctx, e.client, approved, run.Instance, approval{By: "Ada"}); err != nil {
			t.Error(err)
		}
	})
	e.run()
	if got := ok[string](t)(run.Wait(e.ctx)); got != "Ada" {
		t.Errorf("output %q, want Ada", got)
	}
}

func TestAReturnedTimeoutHasTheTimeoutKind(t *testing.T) {
	t.Parallel()
	e := start(t, ask.Implement(func(ctx turnstile.Context, within time.Duration) (string, error) {
		a, err := approved.WaitTimeout(ctx, within)
		return a.By, err
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, ask, time.Hour))
	_, err := run.Wait(e.ctx)
	if !errors.Is(err, turnstile.ErrTimeout) || !strings.Contains(err.Error(), `event "approved" did not arrive within 1h0m0s`) {
		t.Errorf("the error is %v", err)
	}
}

func TestUndecodableEventDataIsATypedErrorAndTheEventIsConsumed(t *testing.T) {
	t.Parallel()
	twice := turnstile.NewOrchestration[int, string]("Twice")
	e := arrange(t, nil, twice.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		_, err := approved.Wait(ctx)
		damaged, isDecode := errors.AsType[*turnstile.DecodeError](err)
		if !isDecode || damaged.Name != "approved" || string(damaged.Payload) != `["Grace"]` {
			return "", errors.Join(errors.New("no decode error"), err)
		}
		a, err := approved.Wait(ctx)
		return a.By, err
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, twice, 1))
	if err := client.Raise(e.ctx, e.client, turnstile.NewEvent[[]string]("approved"), run.Instance, []string{"Grace"}); err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(e.ctx, e.client, approved, run.Instance, approval{By: "Ada"}); err != nil {
		t.Fatal(err)
	}
	e.run()
	if got := ok[string](t)(run.Wait(e.ctx)); got != "Ada" {
		t.Errorf("output %q, want Ada", got)
	}
}

func TestE04ASendersIdMakesRaisingTwiceHarmless(t *testing.T) {
	t.Parallel()
	count := turnstile.NewOrchestration[time.Duration, int]("Count")
	e := arrange(t, nil, count.Implement(func(ctx turnstile.Context, within time.Duration) (int, error) {
		for n := 0; ; n++ {
			if _, err := approved.WaitTimeout(ctx, within); err != nil {
				if errors.Is(err, turnstile.ErrTimeout) {
					return n, nil
				}
				return n, err
			}
		}
	}))
	check := map[string]func(){}
	for name, c := range map[string]struct {
		options []client.RaiseOption
		want    int
	}{
		"E-04 raised twice without an id, as two events": {nil, 2},
		"E-04 raised twice with one id, as one event":    {[]client.RaiseOption{client.WithDeduplicationID("request-1")}, 1},
	} {
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, count, time.Hour))
		for _, at := range []time.Duration{time.Second, 10 * time.Minute} {
			e.AfterFunc(at, func() {
				if err := client.Raise(e.ctx, e.client, approved, run.Instance, approval{}, c.options...); err != nil {
					t.Error(err)
				}
			})
		}
		check[name] = func() {
			if got := ok[int](t)(run.Wait(e.ctx)); got != c.want {
				t.Errorf("%s: %d events, want %d", name, got, c.want)
			}
		}
	}
	e.run()
	for _, c := range check {
		c()
	}
}

func TestAStartDeliversItsEventsInOrder(t *testing.T) {
	t.Parallel()
	both := turnstile.NewOrchestration[int, string]("Both")
	e := start(t, both.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		a, err := approved.Wait(ctx)
		if err != nil {
			return "", err
		}
		b, err := approved.Wait(ctx)
		return a.By + b.By, err
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, both, 1, client.WithEvent(approved, approval{By: "a"}), client.WithEvent(approved, approval{By: "b"})))
	if got := ok[string](t)(run.Wait(e.ctx)); got != "ab" {
		t.Errorf("output %q, want ab", got)
	}
}

// One call sends an event and makes sure that an instance receives it, like Temporal's
// signal-with-start.
func TestAnEventOfAStartReachesANewOrExistingInstance(t *testing.T) {
	t.Parallel()
	three := turnstile.NewOrchestration[int, string]("Three")
	e := start(t, three.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		all := ""
		for range 3 {
			a, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			all += a.By
		}
		return all, nil
	}))
	send := func(by, id string) *client.Run[string] {
		return ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, three, 1, client.WithInstanceID("i"), client.WithDeduplicationID(id),
			client.UseExisting(), client.WithEvent(approved, approval{By: by})))
	}
	run := send("a", "1")
	send("b", "2")
	send("b", "2") // a repeat of the call
	send("c", "3")
	if got := ok[string](t)(run.Wait(e.ctx)); got != "abc" {
		t.Errorf("output %q, want abc", got)
	}
}
