package turnstile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// taken takes the events that have arrived, without waiting.
func taken(ctx turnstile.Context) (string, error) {
	var numbers []int
	for {
		n, came, err := approvedNumber.TryWait(ctx)
		if err != nil || !came {
			return fmt.Sprint(numbers), err
		}
		numbers = append(numbers, n)
	}
}

func TestTryWaitTakesWhatTheHistoryHadBeforeTheCodeRan(t *testing.T) {
	t.Parallel()
	drain := turnstile.NewOrchestration[string, string]("Drain").With(turnstile.Limit("one", 1))
	code := func(ctx turnstile.Context, mode string) (string, error) {
		switch mode {
		case "sleeps":
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
		case "continues":
			// The wait gets the first event, and the code does not await it.
			_ = approvedNumber.Next(ctx)
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return "", drain.ContinueAsNew(ctx, "")
		}
		return taken(ctx)
	}
	for name, c := range map[string]struct {
		mode    string
		options []client.StartOption
		// at has the actions by minutes after the start.
		at map[int]func(e *env, instance string) error
	}{
		"the start brings them": {options: []client.StartOption{client.WithEvent(approvedNumber, 1), client.WithEvent(approvedNumber, 2)}},
		"they came before it began": {options: []client.StartOption{client.StartAfter(time.Hour)}, at: map[int]func(*env, string) error{
			10: raiseNumber(1), 20: raiseNumber(2)}},
		"they came while it was suspended": {mode: "sleeps", at: map[int]func(*env, string) error{
			30:  func(e *env, instance string) error { return e.client.Suspend(e.ctx, instance, "wait") },
			70:  raiseNumber(1),
			80:  raiseNumber(2),
			120: func(e *env, instance string) error { return e.client.Resume(e.ctx, instance, "go on") },
		}},
		"continue-as-new carried them over": {mode: "continues", at: map[int]func(*env, string) error{10: raiseNumber(1), 20: raiseNumber(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := arrange(t, nil, drain.Implement(code))
			run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, drain, c.mode, c.options...))
			for minutes, do := range c.at {
				e.AfterFunc(time.Duration(minutes)*time.Minute, func() {
					if err := do(e, run.Instance); err != nil {
						t.Error(err)
					}
				})
			}
			e.run()
			if got, err := run.Wait(e.ctx); got != "[1 2]" || err != nil {
				t.Errorf("it took %s, %v", got, err)
			}
		})
	}
	t.Run("they came while it waited for its turn under a limit", func(t *testing.T) {
		t.Parallel()
		e := arrange(t, nil, drain.Implement(code))
		first := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, drain, "sleeps"))
		var second *client.Run[string]
		e.AfterFunc(time.Minute, func() { second = ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, drain, "")) })
		for n := range 2 {
			e.AfterFunc(time.Duration(n+2)*time.Minute, func() {
				if err := raiseNumber(n+1)(e, second.Instance); err != nil {
					t.Error(err)
				}
			})
		}
		e.run()
		if _, err := first.Wait(e.ctx); err != nil {
			t.Fatal(err)
		}
		if got, err := second.Wait(e.ctx); got != "[1 2]" || err != nil {
			t.Errorf("it took %s, %v", got, err)
		}
	})
}

func raiseNumber(n int) func(*env, string) error {
	return func(e *env, instance string) error { return client.Raise(e.ctx, e.client, approvedNumber, instance, n) }
}
