package orchestrator

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// named sets the request id of invocations.
func (w *world) named(id string) {
	of := func(context.Context) string { return id }
	w.change(func(c *Config) { c.RequestID = of })
	w.workerProcess().worker.RequestID = of
}

func TestCompletionsNameStartAttemptAndInvocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	startedAt := map[string][]int64{}
	fails := func(name string) activities.Func {
		return func(context.Context, []byte) ([]byte, error) {
			startedAt[name] = append(startedAt[name], w.clock.Now().UnixMilli())
			w.clock.Advance(3 * time.Second)
			if len(startedAt[name]) < 2 {
				return nil, errors.New("not yet")
			}
			return []byte("1"), nil
		}
	}
	w.activityFunc("Queued", fails("Queued"))
	w.activityFunc("Never", func(context.Context, []byte) ([]byte, error) {
		startedAt["Never"] = append(startedAt["Never"], w.clock.Now().UnixMilli())
		return nil, errors.New("never")
	})
	w.inline = append(w.inline, activities.Activity{Name: "Inline", Func: fails("Inline"), Source: "test"})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		twice := &history.Retry{MaxAttempts: 2}
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Queued", Retry: twice})); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Inline: true, Retry: twice})); err != nil {
			return nil, err
		}
		_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Never"}))
		if err == nil {
			return nil, errors.New("it did not fail")
		}
		return in, nil
	})
	w.named("req-1")
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	events, name := w.events("a", 1), map[int64]string{}
	seen := 0
	for _, e := range events {
		if name[e.EventID] = e.Name; e.Kind.Completes() != history.ActivityScheduled {
			if e.StartedAtMS != 0 || e.Attempt != 0 || e.RequestID != "" {
				t.Errorf("event %d (%s) has them too: %+v", e.EventID, e.Kind, e)
			}
			continue
		}
		seen++
		of := name[e.SourceEventID]
		if n := len(startedAt[of]); e.StartedAtMS != startedAt[of][n-1] || e.Attempt != n || e.RequestID != "req-1" {
			t.Errorf("%s ended with %+v, want attempt %d, begun at %d", of, e, n, startedAt[of][n-1])
		}
	}
	if seen != 3 {
		t.Errorf("%d completions", seen)
	}
}

func TestAnInvalidRequestIDIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a\nb", "\xff", string(make([]byte, 300))} {
		w := newWorld(t, nil)
		w.activityFunc("Step", step)
		w.orchestration("Main", chain(1))
		w.named(id)
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "11")
		if e := w.events("a", 1)[2]; e.RequestID != "" || e.Attempt != 1 {
			t.Errorf("%q was recorded as %q", id, e.RequestID)
		}
	}
}

func TestHeadersOfAStartReachItsActivitiesChildrenAndLaterExecutions(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"traceparent": "00-1", "tenant": "é"}
	w := newWorld(t, nil)
	at := map[string]map[string]string{}
	note := func(where string) activities.Func {
		return func(ctx context.Context, in []byte) ([]byte, error) {
			info, _ := activities.InfoFrom(ctx)
			at[where] = info.Headers
			return in, nil
		}
	}
	w.activityFunc("Queued", note("queued"))
	w.inline = append(w.inline, activities.Activity{Name: "Inline", Func: note("inline"), Source: "test"})
	w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
		at["child"] = ctx.Info().Headers
		return in, nil
	})
	w.orchestration("Detached", func(ctx *engine.Context, in []byte) ([]byte, error) {
		at["detached"] = ctx.Info().Headers
		return in, nil
	})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "1" {
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		at["main"] = ctx.Info().Headers
		if _, err := ctx.Detach(engine.ChildCall{Name: "Detached", Instance: "d", Input: []byte("1")}); err != nil {
			return nil, err
		}
		_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Queued"}), ctx.Activity(engine.ActivityCall{Name: "Inline", Inline: true}),
			ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")}))
		return in, err
	})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "s", Actor: "user/ada",
		Headers: headers, FairnessGroup: "tenant-1"})
	w.run()
	w.expectOutput("a", "2")
	for _, where := range []string{"queued", "inline", "child", "detached", "main"} {
		if !maps.Equal(at[where], headers) {
			t.Errorf("%s has headers %v", where, at[where])
		}
	}
	for n := int64(1); n <= 2; n++ {
		if e := w.events("a", n)[0]; e.Actor != "user/ada" || !maps.Equal(e.Start.Headers, headers) || e.Start.FairnessGroup != "tenant-1" {
			t.Errorf("execution %d begins with %+v, %+v", n, e, e.Start)
		}
	}
	if r := w.record("a"); r.FairnessGroup != "tenant-1" {
		t.Errorf("the record has the fairness group %q", r.FairnessGroup)
	}
}

func TestTheActorIsRecordedWithTheRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		shielded := ctx.Shield()
		_, _ = ctx.Await(ctx.ExternalEvent("first"))
		return shielded.Await(shielded.ExternalEvent("never"))
	})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Actor: "ada", Events: []wire.StartEvent{{Name: "other"}}})
	w.send(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "first", ID: "e", Actor: "bob"})
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c", Actor: "carol"})
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t", Actor: "dave"})
	w.run()
	w.expectStatus("a", store.StatusTerminated)
	want := map[history.Kind][]string{
		history.OrchestrationStarted: {"ada"}, history.ExternalEvent: {"ada", "bob"},
		history.OrchestrationCancelRequested: {"carol"}, history.OrchestrationFailed: {"dave"},
	}
	for _, e := range w.events("a", 1) {
		if who := want[e.Kind]; len(who) > 0 {
			if want[e.Kind] = who[1:]; e.Actor != who[0] {
				t.Errorf("event %d (%s) has the actor %q, want %q", e.EventID, e.Kind, e.Actor, who[0])
			}
		} else if e.Actor != "" {
			t.Errorf("event %d (%s) has the actor %q", e.EventID, e.Kind, e.Actor)
		}
	}
}

func TestAnOriginInHistoryIsKeptAndChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("go"))
	origin := &history.Origin{Instance: "b", ExecutionID: 1, EventID: 3}
	started := history.Event{Kind: history.OrchestrationStarted, EventID: 1, Name: "Main",
		Start: &history.Start{ExecutionID: 1, StartID: "s", Secret: "00", Origin: origin}}
	err := w.store.Commit(t.Context(), store.Commit{
		Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Events: []history.Event{started}, Token: "t", Parked: true}},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &store.Record{Instance: "a", ExecutionID: 1, FirstExecution: 1, StartID: "s",
			Name: "Main", Status: store.StatusRunning, Origin: origin}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.raise("a", "go", "7", "e")
	w.run()
	w.expectOutput("a", "[7]")
	if r := w.record("a"); r.Origin == nil || !reflect.DeepEqual(r.Origin, origin) {
		t.Errorf("the record has the origin %v", r.Origin)
	}
}

// A blob uses a codec that this build does not have, in each place that can have a payload.
func TestAReferenceToAPayloadWaitsForABuildThatCanFetchIt(t *testing.T) {
	t.Parallel()
	blob := "blob/s3"
	t.Run("in a message", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("go"))
		w.activityFunc("Step", step)
		w.start("a", "Main", "1")
		w.settleFIFO()
		w.send(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: "e", Codec: blob, Data: []byte(`"cmVm"`)})
		w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "b", Name: "Main", ID: "b", Codec: blob, Events: []wire.StartEvent{{Name: "go", Data: []byte(`"cmVm"`)}}})
		attempt := wire.Item{V: 1, Kind: wire.ActivityExecute, Instance: "c", ExecutionID: 1, SchedulingEventID: 2, Name: "Step", Token: "t", Codec: blob, Input: []byte(`"cmVm"`)}
		if err := w.activity.Send(t.Context(), queue.Outgoing{Body: w.body(attempt)}); err != nil {
			t.Fatal(err)
		}
		w.runFor(24 * time.Hour)
		w.expectDead()
		w.expectHistory("a", 1, "Started Sub(go)")
		if len(w.delay.Peek()) != 2 || len(w.activity.Peek()) != 1 || w.record("b").Instance != "" {
			t.Errorf("waiting: %v, %v", bodies(w.delay.Peek()), bodies(w.activity.Peek()))
		}
	})
	t.Run("in a history", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("go"))
		started := history.Event{Kind: history.OrchestrationStarted, EventID: 1, Name: "Main", Codec: blob, Payload: []byte(`"cmVm"`),
			Start: &history.Start{ExecutionID: 1, StartID: "s", Secret: "00"}}
		err := w.store.Commit(t.Context(), store.Commit{
			Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Events: []history.Event{started}, Token: "t", Parked: true}},
			Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &store.Record{Instance: "a", ExecutionID: 1, FirstExecution: 1, StartID: "s",
				Name: "Main", Status: store.StatusRunning}},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.raise("a", "go", "7", "e")
		w.runFor(24 * time.Hour)
		w.expectDead()
		if turns, err := w.store.Read(t.Context(), "a", 1, 1); err != nil || len(turns) != 1 {
			t.Errorf("written: %v, %v", turns, err)
		}
		if len(w.delay.Peek()) != 1 {
			t.Errorf("waiting: %v", bodies(w.delay.Peek()))
		}
	})
}
