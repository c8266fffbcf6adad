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
			var invalid *turnstile.InvalidArgumentError
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

	// Replay compares the sent messages.
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
		for _, err := range []error{approvedNumber.RaiseTo(scope, "x", 1), turnstile.CancelInstance(scope, "x", "y"), turnstile.TerminateInstance(scope, "x", "y")} {
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

func TestAnInstanceTerminatesAnother(t *testing.T) {
	t.Parallel()
	undone := false
	end := turnstile.NewOrchestration[string, string]("End")
	stubborn := turnstile.NewOrchestration[string, string]("Stubborn")
	never := turnstile.NewEvent[string]("never")
	e := start(t,
		stubborn.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			_, err := never.Wait(ctx)
			undone = true
			return "", err
		}),
		end.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			var invalid *turnstile.InvalidArgumentError
			if err := turnstile.TerminateInstance(ctx, "a\nb", "x"); !errors.As(err, &invalid) {
				return "", differ("no instance id: %v", err)
			}
			return "said", turnstile.TerminateInstance(ctx, "stubborn", "no more")
		}))
	other := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, stubborn, "", client.WithInstanceID("stubborn")))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, end, ""))
	ok[string](t)(run.Wait(e.ctx))
	if _, err := other.Wait(e.ctx); !errors.Is(err, turnstile.ErrTerminated) || !strings.Contains(err.Error(), "no more") {
		t.Errorf("the other ended with %v", err)
	}
	if undone {
		t.Error("its code went on")
	}
	// Code that cancels instead disagrees with the history.
	events := e.history(run.Instance)
	for name, stop := range map[string]func(turnstile.Context, string, string) error{"terminates": turnstile.TerminateInstance, "cancels": turnstile.CancelInstance} {
		changed := end.Implement(func(ctx turnstile.Context, _ string) (string, error) { return "said", stop(ctx, "stubborn", "no more") })
		if turn := replay(t, turnstile.NewApp(changed), run.Instance, events); (turn.Stuck != nil) != (name == "cancels") {
			t.Errorf("code that %s: %v", name, turn.Stuck)
		}
	}
}
