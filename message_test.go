package turnstile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestAnOrchestrationRaisesEventsForAndCancelsOthers(t *testing.T) {
	t.Parallel()
	news := turnstile.NewEvent[string]("news")
	listener := turnstile.NewOrchestration[string, string]("Listener")
	speaker := turnstile.NewOrchestration[string, string]("Speaker")
	e := start(t,
		listener.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			first, err := news.Wait(ctx)
			if err != nil {
				return "", err
			}
			second, err := news.Wait(ctx)
			return first + second, err
		}),
		speaker.Implement(func(ctx turnstile.Context, text string) (string, error) {
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return "", err
			}
			for _, word := range []string{text, "!"} {
				if err := news.RaiseTo(ctx, "ear", word); err != nil {
					return "", err
				}
			}
			if err := turnstile.CancelInstance(ctx, "deaf", "nothing to hear"); err != nil {
				return "", err
			}
			var invalid *turnstile.InvalidNameError
			if err := news.RaiseTo(ctx, "", "x"); !errors.As(err, &invalid) {
				return "", differ("no instance: %v", err)
			}
			if err := turnstile.CancelInstance(ctx, "a\nb", "x"); !errors.As(err, &invalid) {
				return "", differ("no instance id: %v", err)
			}
			return "said", nil
		}))
	ear := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, listener, "", client.WithInstanceID("ear")))
	deaf := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, listener, "", client.WithInstanceID("deaf")))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, speaker, "hello"))
	if got := ok[string](t)(ear.Wait(e.ctx)); got != "hello!" {
		t.Errorf("the listener heard %q", got)
	}
	if _, err := deaf.Wait(e.ctx); !errors.Is(err, turnstile.ErrCancelled) || !strings.Contains(err.Error(), "nothing to hear") {
		t.Errorf("the other ended with %v", err)
	}
	ok[string](t)(run.Wait(e.ctx))
	events := e.history(run.Instance)
	want := []string{"OrchestrationStarted", "TimerCreated", "TimerFired", "SystemCall", "SystemCall", "SystemCall", "OrchestrationCompleted"}
	if !reflect.DeepEqual(kinds(events), want) {
		t.Errorf("recorded were %v", kinds(events))
	}

	// What is sent is compared on replay.
	for text, stuck := range map[string]bool{"hello": false, "hi": true} {
		changed := speaker.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return "", err
			}
			for _, word := range []string{text, "!"} {
				if err := news.RaiseTo(ctx, "ear", word); err != nil {
					return "", err
				}
			}
			return "said", turnstile.CancelInstance(ctx, "deaf", "nothing to hear")
		})
		turn := replay(t, turnstile.NewApp(changed), run.Instance, events)
		if (turn.Stuck != nil) != stuck {
			t.Errorf("with %q: %v", text, turn.Stuck)
		}
	}
}

func TestNothingIsSentFromACancelledScope(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		scope, cancel := turnstile.WithCancel(ctx)
		cancel("enough")
		for _, err := range []error{approvedNumber.RaiseTo(scope, "x", 1), turnstile.CancelInstance(scope, "x", "y")} {
			if !errors.Is(err, turnstile.ErrCancelled) {
				return differ("it gave %v", err)
			}
		}
		return nil
	})
	if err != nil || len(kinds) != 2 {
		t.Error(kinds, err)
	}
}
