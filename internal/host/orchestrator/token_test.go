package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// parentOf1 awaits a child, and returns its result.
func parentOf1(ctx *engine.Context, _ []byte) ([]byte, error) {
	return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
}

func familyWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.orchestration("Parent", parentOf1)
		w.orchestration("Child", waits("go"))
	})
}

// M-14: neither the history nor the record of a child has anything that could complete the parent's
// event, but the parent is still notified.
func TestM14NoHistoryOrRecordContainsAParentsToken(t *testing.T) {
	t.Parallel()
	w := familyWorld(t)
	w.start("parent", "Parent", "1")
	w.run()
	s := w.events("child", 1)[0].Start
	if s.Secret != "" || s.Parent == nil || s.Parent.Token != "" || s.Parent.Instance != "parent" {
		t.Errorf("the child's start has %+v of %+v", s, s.Parent)
	}
	if at := w.events("parent", 1)[1].AtMS; at == 0 || s.Parent.AtMS != at {
		t.Errorf("the child's start says that its parent scheduled it at %d, want %d: the token is made of that", s.Parent.AtMS, at)
	}
	if r, err := w.store.Describe(t.Context(), "child"); err != nil || r.Parent == nil || r.Parent.Token != "" {
		t.Errorf("its record has %+v, %v", r.Parent, err)
	}
	if s := w.events("parent", 1)[0].Start; s.Secret != "" {
		t.Error("the parent has a secret")
	}
	w.raise("child", "go", "7", "go")
	w.run()
	w.expectOutput("parent", "[7]")
}

// M-14: anybody who can send a start can name any parent. The start is refused, so its end cannot
// reach that parent.
func TestM14AStartWithAForgedParentIsADeadLetter(t *testing.T) {
	t.Parallel()
	w := familyWorld(t)
	w.start("parent", "Parent", "1")
	w.run()
	stranger, err := keyring.New(keyring.Config{Keys: &keyring.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{stranger.Token("parent", 1, 2, 0), w.token("parent", 3), "other.0." + strings.Repeat("a", 22), strings.Repeat("0", 32)} {
		p := &wire.Parent{Instance: "parent", ExecutionID: 1, EventID: 2, Token: token}
		w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "cuckoo", Name: "Child", ID: token, Parent: p})
		w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "child", ID: token, Parent: p})
	}
	w.run()
	forged := string(wire.ReasonForged)
	w.expectDead(forged, forged, forged, forged, forged, forged, forged, forged)
	if _, err := w.store.Describe(t.Context(), "cuckoo"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it was started: %v", err)
	}
	w.expectStatus("parent", store.StatusRunning)
	w.expectStatus("child", store.StatusRunning)
}

// Tokens made under one key are accepted while another key is current, by the processes of both
// deployments. When the key is deleted, its tokens are no longer valid.
func TestCompletionsUnderAnEarlierKeyAreAcceptedUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", twoActivities) })
	w.start("a", "Main", "1")
	w.start("b", "Main", "1")
	w.settleFIFO()
	early := w.completed("a", 2, "1")
	late := w.completed("b", 2, "1")
	w.current = "2"
	w.restart()
	w.send(early)
	w.settleFIFO()
	if n := len(w.events("a", 1)); n != 4 {
		t.Fatalf("%d events, want 4: the completion under the key before, and what follows from it", n)
	}
	if id, keyed := keyring.Keyed(w.token("a", 3)); !keyed || id != "2" {
		t.Errorf("new tokens are under %q", id)
	}
	w.keys.Delete("1")
	w.restart()
	w.send(late)
	w.settleFIFO()
	w.expectDead(string(wire.ReasonForged))
	if text := w.deadFIFO.Peek()[0].Attributes[wire.ReasonAttribute]; !strings.Contains(text, `no key "1"`) {
		t.Errorf("the dead letter does not name the key: %s", text)
	}
}

// Problems with the keys only cost time.
func TestWithoutKeysAllMessagesReturn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.Timer(1000 * time.Hour)) })
	})
	w.start("a", "Main", "1")
	down := &unreadable{Keys: w.keys}
	ring, err := keyring.New(keyring.Config{Keys: down, Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	down.all = true
	w.change(func(c *Config) { c.Keys = ring })
	w.runFor(time.Minute)
	if _, err := w.store.Describe(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it was started: %v", err)
	}
	w.expectDead()
	down.all = false
	w.runFor(10 * time.Minute)
	w.expectStatus("a", store.StatusRunning)
	// A token under another key cannot be checked either.
	down.all = true
	w.send(wire.Item{Kind: wire.TimerFired, FireAtMS: 1, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: "other.0." + strings.Repeat("a", 22)})
	w.runFor(time.Minute)
	w.expectDead()
	down.all = false
	w.runFor(10 * time.Minute)
	w.expectDead(string(wire.ReasonForged))
}

// unreadable fails on request.
type unreadable struct {
	store.Keys
	all bool
}

func (u *unreadable) Key(ctx context.Context, id string) ([]byte, error) {
	if u.all {
		return nil, store.ErrUnavailable
	}
	return u.Keys.Key(ctx, id)
}

// When a key has leaked, it is deleted, and a wake resends the open operations under the current
// key. Tokens made under the old key are invalid.
func TestAfterAKeyIsDeletedAWakeResendsOpenOperationsUnderTheNewKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", twoActivities) })
	w.start("a", "Main", "1")
	w.settleFIFO()
	stolen := w.completed("a", 2, "1")
	w.current = "2"
	w.keys.Delete("1")
	w.restart()
	sent := len(w.activity.Peek())
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
	w.send(stolen)
	w.settleFIFO()
	w.expectDead(string(wire.ReasonForged))
	all := w.activity.Peek()
	if len(all) != sent+1 {
		t.Fatalf("%d attempts were sent again, want 1", len(all)-sent)
	}
	item, err := wire.Parse([]byte(all[sent].Body))
	if id, _ := keyring.Keyed(item.Token); err != nil || id != "2" {
		t.Fatalf("sent again: %s, %v; want a token under key 2", all[sent].Body, err)
	}
	w.send(wire.Item{Kind: wire.ActivityCompleted, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: item.Token, Result: []byte("1")})
	w.settleFIFO()
	if n := len(w.events("a", 1)); n != 4 {
		t.Errorf("%d events, want 4: the completion, and what follows from it", n)
	}
}

// M-14: tokens occur in messages, but not in anything that is kept or that people read: no debug
// log line, reason of a dead letter, history, record or export contains a token.
func TestM14LogsReasonsRecordsHistoriesAndExportsContainNoToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, func(w *world) {
		w.logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		w.orchestration("Child", waits("go"))
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			ctx.Activity(engine.ActivityCall{Name: "Fails", Retry: &history.Retry{MaxAttempts: 2, InitialMS: 1000}})
			ctx.Timer(1000 * time.Hour)
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
		})
	})
	sent := map[string]bool{}
	w.activityFunc("Fails", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		at, err := wire.ParseActivityToken(info.CompletionToken)
		if err != nil {
			t.Error(err)
		}
		sent[at.Token] = true
		return nil, errors.New("no")
	})
	w.start("main", "Main", "1")
	w.runFor(time.Minute)
	// Tokens in the wrong place, or with a wrong form, are refused with a reason.
	timer, child := w.token("main", 3), w.token("main", 4)
	sent[timer], sent[child] = true, true
	w.send(wire.Item{Kind: wire.ActivityCompleted, Instance: "main", ExecutionID: 1, SourceEventID: 2, Token: timer, Result: []byte("1")})
	w.send(wire.Item{Kind: wire.TimerFired, Instance: "main", ExecutionID: 1, SourceEventID: 4, FireAtMS: 1, Token: child})
	for _, text := range []string{`"token":"` + timer + `\n"`, `"activity_token":"t1.x.2.bWFpbg.` + timer + `"`, `"token":["` + timer + `"]`} {
		if err := w.fifo.Send(t.Context(), queue.Outgoing{Group: "main", DedupID: text[:20], Body: `{"kind":"ActivityCompleted","instance":"main","execution_id":1,"source_event_id":2,` + text + `}`}); err != nil {
			t.Fatal(err)
		}
	}
	w.runFor(time.Minute)
	if len(sent) < 3 || len(w.deadFIFO.Peek()) < 4 || !strings.Contains(log.String(), "main") {
		t.Fatalf("tokens %v, dead letters %d: there is nothing to look for", sent, len(w.deadFIFO.Peek()))
	}
	shown := log.String()
	for _, m := range w.deadFIFO.Peek() {
		shown += m.Attributes[wire.ReasonAttribute] + "\n"
	}
	for _, instance := range []string{"main", "child"} {
		shown += bytesOf(reflect.ValueOf(w.record(instance))) + bytesOf(reflect.ValueOf(w.turns(instance, 1)))
		shown += string(history.EncodeExport(history.Export{Instance: instance, ExecutionID: 1, Events: w.events(instance, 1)}))
	}
	for token := range sent {
		if strings.Contains(shown, token) {
			t.Errorf("the token %s stands in\n%s", token, shown)
		}
	}
}

// A firing that cannot have been scheduled does not wait until it is due.
func TestAForgedFarFutureFiringIsADeadLetterAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", twoActivities) })
	w.start("a", "Main", "1")
	w.settleFIFO()
	item := wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 2, FireAtMS: w.clock.Now().Add(1000 * time.Hour).UnixMilli(), Token: w.token("a", 3)}
	w.send(item)
	w.settleFIFO()
	w.expectDead(string(wire.ReasonForged))
}

// twoActivities awaits one activity after the other.
func twoActivities(ctx *engine.Context, in []byte) ([]byte, error) {
	for range 2 {
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "A"})); err != nil {
			return nil, err
		}
	}
	return in, nil
}
