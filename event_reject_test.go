package turnstile_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
)

// rejections returns the rejections in the history of an instance.
func rejections(t *testing.T, e *env, instance string) (reasons []string) {
	t.Helper()
	for _, ev := range ok[[]history.Event](t)(e.client.History(e.ctx, instance, 0)) {
		if ev.Kind == history.ExternalRejected {
			reasons = append(reasons, ev.Reason)
		}
	}
	return reasons
}

func raiseData(t *testing.T, e *env, instance, name, data string) {
	t.Helper()
	if err := e.client.Raise(e.ctx, client.RaiseRequest{Instance: instance, Name: name, Data: json.RawMessage(data)}); err != nil {
		t.Fatal(err)
	}
}

func TestE09AWaitThatRejectsContinuesWaiting(t *testing.T) {
	t.Parallel()
	sound := approved.Rejecting()
	work := turnstile.NewActivity[int, int]("Work")
	for name, code := range map[string]func(turnstile.Context) (approval, error){
		"Wait":    sound.Wait,
		"WaitFor": func(ctx turnstile.Context) (approval, error) { return sound.WaitTimeout(ctx, time.Hour) },
		"Select": func(ctx turnstile.Context) (approval, error) {
			wait, timer := sound.Next(ctx), turnstile.After(ctx, time.Hour)
			if i, err := turnstile.Select(ctx, wait, timer); err != nil || i != 0 {
				return approval{}, errors.Join(errors.New("the timer won"), err)
			}
			return wait.Await(ctx)
		},
		"All": func(ctx turnstile.Context) (a approval, err error) {
			for a, err = range sound.All(ctx) {
				break
			}
			return a, err
		},
		"TryWait, after it": func(ctx turnstile.Context) (approval, error) {
			// All events arrive before the time is over, and are kept.
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return approval{}, err
			}
			a, came, err := sound.TryWait(ctx)
			if !came {
				return a, errors.Join(errors.New("none has come"), err)
			}
			return a, err
		},
		"Wait, after it": func(ctx turnstile.Context) (approval, error) {
			if _, err := work.Call(ctx, 1); err != nil {
				return approval{}, err
			}
			return sound.Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := turnstile.NewOrchestration[int, string]("One")
			e := arrange(t, nil,
				work.Implement(func(_ context.Context, n int) (int, error) { return n, nil }),
				one.Implement(func(ctx turnstile.Context, _ int) (string, error) {
					a, err := code(ctx)
					return a.By, err
				}))
			run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, one, 1))
			for _, data := range []string{`["Grace"]`, `{"By":7}`, `{"By":"Ada"}`, `{"By":"Alan"}`} {
				raiseData(t, e, run.Instance, "approved", data)
			}
			e.run()
			if got := ok[string](t)(run.Wait(e.ctx)); got != "Ada" {
				t.Errorf("output %q, want Ada", got)
			}
			reasons := rejections(t, e, run.Instance)
			if len(reasons) != 2 || !strings.Contains(reasons[0], "array") || !strings.Contains(reasons[1], "By of type string") {
				t.Errorf("the rejections are %q", reasons)
			}
			w := ok[client.Pending](t)(e.client.Pending(e.ctx, run.Instance))
			// The event after the one that was taken is kept for the next wait.
			left := 2
			if strings.HasSuffix(name, "after it") {
				left = 3
			}
			if len(w.UnconsumedEvents) != left || w.UnconsumedEvents[0].Reason != reasons[0] || w.UnconsumedEvents[1].RejectedBy == 0 || w.UnconsumedEvents[left-1].RejectedBy != 0 == (left == 3) || len(w.Operations) != 0 {
				t.Errorf("not taken: %+v", w)
			}
		})
	}
}

func TestE09ATryWaitThatRejectsAllFindsNone(t *testing.T) {
	t.Parallel()
	one := turnstile.NewOrchestration[int, bool]("One")
	e := arrange(t, nil, one.Implement(func(ctx turnstile.Context, _ int) (bool, error) {
		if err := turnstile.Sleep(ctx, time.Minute); err != nil {
			return false, err
		}
		_, came, err := approved.Rejecting().TryWait(ctx)
		return came, err
	}))
	run := ok[*client.Run[bool]](t)(client.Start(e.ctx, e.client, one, 1))
	raiseData(t, e, run.Instance, "approved", `1`)
	raiseData(t, e, run.Instance, "approved", `2`)
	e.run()
	if ok[bool](t)(run.Wait(e.ctx)) || len(rejections(t, e, run.Instance)) != 2 {
		t.Error("it took an event that it rejects")
	}
}

// The recorded decision counts, whatever the current type, and even if the code no longer rejects.
func TestE09ARejectionReplaysWhateverTheTypeIsNow(t *testing.T) {
	t.Parallel()
	work := turnstile.NewActivity[string, int]("Work")
	one := turnstile.NewOrchestration[int, int]("One")
	done := work.Implement(func(context.Context, string) (int, error) { return 0, nil })
	build := func(wait func(turnstile.Context) (string, error)) *turnstile.App {
		return turnstile.NewApp(done, one.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			by, err := wait(ctx)
			if err != nil {
				return 0, err
			}
			return work.Call(ctx, by)
		}))
	}
	then := func(ctx turnstile.Context) (string, error) {
		a, err := approved.Rejecting().Wait(ctx)
		return a.By, err
	}
	e, err := embedded.New(build(then), embedded.WithVirtualTime(epoch))
	if err != nil {
		t.Fatal(err)
	}
	was := &env{Runtime: e, t: t, client: e.Client(), ctx: t.Context()}
	was.run()
	run := ok[*client.Run[int]](t)(client.Start(was.ctx, was.client, one, 1))
	raiseData(t, was, run.Instance, "approved", `"a text"`)
	raiseData(t, was, run.Instance, "approved", `{"By":"Ada"}`)
	if _, err := run.Wait(was.ctx); err != nil || len(rejections(t, was, run.Instance)) != 1 {
		t.Fatalf("%v, rejected %q", err, rejections(t, was, run.Instance))
	}
	recorded := was.history(run.Instance)
	for name, now := range map[string]func(turnstile.Context) (string, error){
		"a type that takes both": func(ctx turnstile.Context) (string, error) {
			a, err := turnstile.NewEvent[any]("approved").Rejecting().Wait(ctx)
			if m, isMap := a.(map[string]any); isMap {
				return m["By"].(string), err
			}
			return "the text", err
		},
		"a type that takes neither": func(ctx turnstile.Context) (string, error) {
			wait := turnstile.NewEvent[int]("approved").Rejecting().Next(ctx)
			if _, err := wait.Await(ctx); err == nil {
				return "", errors.New("decoded")
			}
			return "Ada", nil
		},
		"no rejecting": func(ctx turnstile.Context) (string, error) {
			a, err := approved.Wait(ctx)
			return a.By, err
		},
	} {
		if turn := replay(t, build(now), run.Instance, recorded); turn.Stuck != nil || len(turn.Events) > 0 {
			t.Errorf("%s: %v, and %d new events", name, turn.Stuck, len(turn.Events))
		}
	}
	// Code without such a wait disagrees with the history.
	if turn := replay(t, build(func(turnstile.Context) (string, error) { return "Ada", nil }), run.Instance, recorded); turn.Stuck == nil {
		t.Error("code without the wait replays")
	}
}

// brittle has a decoder that panics.
type brittle struct{ By string }

func (b *brittle) UnmarshalJSON([]byte) error { panic("a decoder that is broken") }

func TestE09ADecoderThatPanicsIsStuckAndLosesNoEvent(t *testing.T) {
	t.Parallel()
	waits := map[string]func(turnstile.Context) error{
		"as it comes": func(ctx turnstile.Context) error {
			_, err := turnstile.NewEvent[brittle]("approved").Rejecting().Wait(ctx)
			return err
		},
		"kept": func(ctx turnstile.Context) error {
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return err
			}
			_, err := turnstile.NewEvent[brittle]("approved").Rejecting().Wait(ctx)
			return err
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := turnstile.NewOrchestration[int, int]("One")
			e := arrange(t, nil, one.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, wait(ctx) }))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, one, 1))
			raiseData(t, e, run.Instance, "approved", `1`)
			looked := make(chan struct{})
			e.AfterFunc(2*time.Minute, func() { close(looked) })
			e.run()
			<-looked
			d := ok[client.Description](t)(e.client.Describe(e.ctx, run.Instance))
			if d.Status != client.StatusStuck || !strings.Contains(d.Problem.Message, "a decoder that is broken") {
				t.Errorf("it is %+v", d)
			}
			if r := rejections(t, e, run.Instance); len(r) != 0 {
				t.Errorf("rejected for a fault of the code: %q", r)
			}
		})
	}
}

func TestAnApplicationChecksTheDataOfItsEvents(t *testing.T) {
	t.Parallel()
	type line struct {
		Count int8 `json:"count"`
	}
	type order struct {
		By    string `json:"by"`
		Lines []line `json:"lines"`
	}
	app := turnstile.NewApp(turnstile.NewEvent[order]("ordered"), turnstile.Components{turnstile.NewEvent[int]("either"), turnstile.NewEvent[string]("either")},
		turnstile.NewEvent[brittle]("brittle"))
	if err := app.Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, data, says string }{
		{"ordered", `{"by":"ada","lines":[{"count":1}]}`, ""},
		{"ordered", ``, ""},
		{"ordered", `null`, ""},
		{"ordered", `{"by":7}`, "by of type string"},
		{"ordered", `{"lines":[{"count":300}]}`, "count of type int8"}, // The prefix is "lines", or "lines.0" with encoding/json/v2.
		{"ordered", `{"bye":"ada"}`, `unknown field "bye"; did you mean "by"?`},
		{"ordered", `{"lines":[{"cuont":3}]}`, `unknown field "cuont"; did you mean "count"?`},
		{"either", `1`, ""},
		{"either", `"1"`, ""},
		{"either", `true`, "bool"},
		{"brittle", `true`, "a decoder that is broken"},
		{"unheard of", `true`, ""},
	} {
		err := app.CheckEvent(c.name, []byte(c.data))
		_, isDecode := errors.AsType[*turnstile.DecodeError](err)
		if (err == nil) != (c.says == "") || err != nil && (!isDecode || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s %s: %v, want %q", c.name, c.data, err, c.says)
		}
	}
	if err := turnstile.NewApp(turnstile.NewEvent[chan int]("a")).Err(); err == nil || !strings.Contains(err.Error(), `event "a"`) {
		t.Errorf("an event that cannot be: %v", err)
	}
}
