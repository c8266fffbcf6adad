package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// waits awaits external events by name, one after another, and returns their payloads as one JSON
// array.
func waits(names ...string) engine.Func {
	return func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var all []string
		for _, name := range names {
			data, err := ctx.Await(ctx.ExternalEvent(name))
			if err != nil {
				return nil, err
			}
			all = append(all, string(data))
		}
		return []byte("[" + strings.Join(all, ",") + "]"), nil
	}
}

// token returns the token of an event in the first execution.
func (w *world) token(instance string, eventID int64) string {
	w.Helper()
	var atMS int64
	if events := w.events(instance, 1); eventID <= int64(len(events)) {
		atMS = events[eventID-1].AtMS
	}
	return w.ring().Token(instance, 1, eventID, atMS)
}

func (w *world) completed(instance string, source int64, result string) wire.Item {
	return wire.Item{V: 1, Kind: wire.ActivityCompleted, Instance: instance, ExecutionID: 1, SourceEventID: source,
		Token: w.token(instance, source), Result: []byte(result)}
}

// body encodes an item.
func (w *world) body(item wire.Item) string {
	w.Helper()
	item.V = wire.Version
	b, err := item.Encode()
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// settleFIFO handles only the messages that the FIFO queue has now.
func (w *world) settleFIFO() {
	w.Helper()
	for {
		batch, err := w.fifo.Receive(w.Context(), w.maxReceive, 0)
		if err != nil {
			w.Fatal(err)
		}
		if len(batch) == 0 {
			return
		}
		w.handle(source{"fifo", w.fifo, platform.SourceOrchestrator}, batch)
	}
}

// twoSteps starts two activities and awaits them in turn.
func twoSteps(ctx *engine.Context, in []byte) ([]byte, error) {
	a := ctx.Activity(engine.ActivityCall{Name: "A", Input: in})
	b := ctx.Activity(engine.ActivityCall{Name: "B", Input: in})
	x, err := ctx.Await(a)
	if err != nil {
		return nil, err
	}
	y, err := ctx.Await(b)
	return []byte(fmt.Sprintf("[%s,%s]", x, y)), err
}

func TestM14AMissingToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Chain", chain(1))
	w.activityFunc("Step", step)
	w.start("a", "Chain", "1")
	w.settleFIFO()
	if err := w.fifo.Send(t.Context(), queue.Outgoing{Group: "a",
		Body: `{"kind":"ActivityCompleted","instance":"a","execution_id":1,"source_event_id":2,"result":5}`}); err != nil {
		t.Fatal(err)
	}
	w.run()
	w.expectDead("invalid_field")
	w.expectOutput("a", "11")
}

func TestM04ARedeliveryResendsOpenOperations(t *testing.T) {
	t.Parallel()
	t.Run("unsent messages are sent, and no event is written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Two", twoSteps)
		w.start("a", "Two", "1")
		w.beforeSend = func(name string, _ []queue.Outgoing) error {
			if name == "activity" {
				return queue.ErrUnavailable
			}
			return nil
		}
		w.settleFIFO()
		w.expectHistory("a", 1, "Started Act(A) Act(B)")
		if n := w.activity.Counts().Total(); n != 0 {
			t.Fatalf("%d attempts sent", n)
		}
		w.expectCount(host.CountReturned, "dispatch", 1)
		w.beforeSend = nil
		w.clock.Advance(5 * time.Second)
		w.settleFIFO()
		if n := w.activity.Counts().Total(); n != 2 {
			t.Errorf("%d attempts sent, want both", n)
		}
		w.expectHistory("a", 1, "Started Act(A) Act(B)")
		w.expectCount(host.CountMessages, "duplicate", 1)
	})
}

func TestM05MessagesThatCannotBeParsed(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("noise ", 1_000_000/6)
	for _, c := range []struct{ name, body, reason string }{
		{"broken JSON", `{"kind":`, "malformed"},
		{"an empty body", "", "malformed"},
		{"a missing field", `{"kind":"ExternalRaised","instance":"a"}`, "invalid_field"},
		{"a mistyped field", `{"kind":"ExternalRaised","instance":7,"name":"e"}`, "invalid_field"},
		{"an unknown kind", `{"kind":"Dance","instance":"a"}`, "unknown_kind"},
		{"an unknown version", `{"v":9,"kind":"Wake","instance":"a"}`, "unknown_version"},
		{"a megabyte of noise", noise, "malformed"},
		{"an attempt on the wrong queue", `{"kind":"ActivityExecute","instance":"a","execution_id":1,"scheduling_event_id":2,"token":"t","name":"A"}`, "misaddressed"},
	} {
		for _, from := range []platform.Source{platform.SourceOrchestrator, platform.SourceDelay} {
			t.Run(fmt.Sprintf("%s from source %d", c.name, from), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.orchestration("Main", waits("e"))
				bad := platform.Delivery{Message: queue.Message{ID: "m-1", Body: c.body, Group: "g", ReceiveCount: 1, Receipt: "r"}, Source: from}
				good := platform.Delivery{Message: queue.Message{ID: "m-2", Body: w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main"}), Group: "g", ReceiveCount: 1, Receipt: "r"}, Source: from}
				if failed := w.process().o.Handle(t.Context(), []platform.Delivery{bad, good}); len(failed) != 0 {
					t.Errorf("failed: %v", failed)
				}
				w.settleFIFO()
				w.expectDead(c.reason)
				w.expectHistory("a", 1, "Started Sub(e)")
				dead := w.deadStandard
				if from == platform.SourceOrchestrator {
					dead = w.deadFIFO
				}
				for _, m := range dead.Peek() {
					if want := c.body; m.Body != want && want != "" {
						t.Errorf("the dead letter's body has %d bytes, want its own %d", len(m.Body), len(want))
					}
					if from == platform.SourceOrchestrator && (m.Group != "g" || m.DedupID != "m-1") {
						t.Errorf("the dead letter has group %q and deduplication id %q", m.Group, m.DedupID)
					}
				}
			})
		}
	}
	t.Run("a body so large that the reason does not fit", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		for _, spare := range []int{0, 10, 60} {
			body := strings.Repeat("x", queue.MaxBody-spare)
			d := platform.Delivery{Message: queue.Message{ID: fmt.Sprint("m-", spare), Body: body, Group: "g", ReceiveCount: 1, Attributes: map[string]string{}}, Source: platform.SourceOrchestrator}
			if failed := w.process().o.Handle(t.Context(), []platform.Delivery{d}); len(failed) != 0 {
				t.Errorf("spare %d: failed: %v", spare, failed)
			}
		}
		letters := w.deadFIFO.Peek()
		if len(letters) != 3 {
			t.Fatalf("%d dead letters", len(letters))
		}
		if r := letters[0].Attributes[wire.ReasonAttribute]; r != "" || len(letters[0].Body) != queue.MaxBody {
			t.Errorf("without room: reason %q, %d bytes", r, len(letters[0].Body))
		}
		if r := letters[2].Attributes[wire.ReasonAttribute]; !strings.HasPrefix(r, "malformed") || len(r) > 60 {
			t.Errorf("with little room: reason %q", r)
		}
	})
}

func TestM07EarlyEvents(t *testing.T) {
	t.Parallel()
	t.Run("the start arrives later", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.raise("a", "e", "1", "e-1")
		w.runFor(3 * time.Minute)
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "[1]")
		w.expectQuiet()
		w.expectDead()
	})
	t.Run("no start arrives within the window, and a redrive follows", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.raise("a", "e", "1", "e-1")
		startedAt := w.clock.Now()
		w.run()
		w.expectDead("unknown_instance")
		if took := w.clock.Now().Sub(startedAt); took < 15*time.Minute || took > 16*time.Minute {
			t.Errorf("it went round for %s, want 15 minutes", took)
		}
		w.start("a", "Main", "1")
		w.run()
		w.redrive()
		w.run()
		w.expectOutput("a", "[1]")
	})
	t.Run("a redrive before the start has a new window", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.raise("a", "e", "1", "e-1")
		w.run()
		w.redrive()
		w.runFor(time.Minute)
		w.expectDead()
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "[1]")
	})
}

// redrive sends all dead letters of both queues back to their original queues, with the mark.
func (w *world) redrive() {
	w.Helper()
	for _, s := range []struct {
		from interface {
			Receive(ctx context.Context, max int, wait time.Duration) ([]queue.Message, error)
			Delete(ctx context.Context, m queue.Message) error
		}
		to queue.Queue
	}{{w.deadFIFO, w.fifo}, {w.deadStandard, w.delay}} {
		for {
			batch, err := s.from.Receive(w.Context(), 10, 0)
			if err != nil {
				w.Fatal(err)
			}
			if len(batch) == 0 {
				break
			}
			for _, m := range batch {
				out := queue.Outgoing{Body: m.Body, Attributes: map[string]string{wire.RedriveAttribute: "1"}}
				if s.to.FIFO() {
					out.Group, out.DedupID = m.Group, wire.HopDedupID("", m.ID)
				}
				if err := errors.Join(s.to.Send(w.Context(), out), s.from.Delete(w.Context(), m)); err != nil {
					w.Fatal(err)
				}
			}
		}
	}
}

func TestM10AFailedMessageReturnsWithTheRestOfItsGroup(t *testing.T) {
	t.Parallel()
	t.Run("the store fails for one of ten instances", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.beforeCommit = func(c *store.Commit) error {
			if c.Turns[0].Instance == "i-3" {
				return store.ErrUnavailable
			}
			return nil
		}
		var batch []platform.Delivery
		for i := range 10 {
			id := fmt.Sprint("i-", i)
			batch = append(batch, platform.Delivery{Message: queue.Message{ID: "m-" + id, Group: id, ReceiveCount: 1,
				Body: w.body(wire.Item{Kind: wire.StartOrchestration, Instance: id, Name: "Main"})}, Source: platform.SourceOrchestrator})
		}
		failed := w.process().o.Handle(t.Context(), batch)
		if got := strings.Join(failed, " "); got != "m-i-3" {
			t.Errorf("failed %q, want m-i-3", got)
		}
	})
	t.Run("the second of four messages of a group fails", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.beforeSend = func(name string, _ []queue.Outgoing) error {
			if name == "deadfifo" {
				return queue.ErrUnavailable
			}
			return nil
		}
		message := func(id, group, body string) platform.Delivery {
			return platform.Delivery{Message: queue.Message{ID: id, Group: group, ReceiveCount: 1, Body: body}, Source: platform.SourceOrchestrator}
		}
		start := func(instance string) string {
			return w.body(wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: "Main"})
		}
		failed := w.process().o.Handle(t.Context(), []platform.Delivery{
			message("m-1", "g", start("a")), message("m-2", "g", "{"), message("o-1", "o", start("o")),
			message("m-3", "g", start("b")), message("m-4", "g", start("c")),
		})
		if got := strings.Join(failed, " "); got != "m-2 m-3 m-4" {
			t.Errorf("failed %q, want the second to the fourth", got)
		}
		w.expectHistory("a", 1, "Started Sub(e)")
		w.expectHistory("o", 1, "Started Sub(e)")
		w.expectHistory("b", 1, "")
	})
	t.Run("the list is empty, never nil", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		if failed := w.process().o.Handle(t.Context(), nil); failed == nil || len(failed) != 0 {
			t.Errorf("failed %v", failed)
		}
		if failed := w.workerProcess().worker.Handle(t.Context(), nil); failed == nil || len(failed) != 0 {
			t.Errorf("worker: failed %v", failed)
		}
	})
}

func TestM11AConflictAtCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Chain", chain(1))
	commits, lost := 0, 4
	w.beforeCommit = func(*store.Commit) error {
		if commits++; commits <= lost {
			return store.ErrConflict
		}
		return nil
	}
	w.start("a", "Chain", "1")
	w.settleFIFO()
	if commits != 4 {
		t.Errorf("%d commits tried, want four", commits)
	}
	w.expectHistory("a", 1, "")
	if sent, left := w.activity.Counts().Total(), w.fifo.Counts().Total(); sent != 0 || left != 1 {
		t.Errorf("%d attempts sent, %d messages left; a turn that lost four times dispatches nothing and hands back", sent, left)
	}
	commits, lost = 0, 3
	w.advance(w.clock.Now().Add(2 * time.Second))
	w.settleFIFO()
	w.expectHistory("a", 1, "Started Act(Step)")
	if sent, left := w.activity.Counts().Total(), w.fifo.Counts().Total(); sent != 1 || left != 0 {
		t.Errorf("%d attempts sent, %d messages left, want one and none", sent, left)
	}
}

func TestM12TooLittleTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		w.clock.Advance(26 * time.Second)
		return in, nil
	})
	for _, i := range []string{"a", "b", "c"} {
		w.start(i, "Main", "1")
	}
	if !w.step() {
		t.Fatal("no batch")
	}
	w.expectOutput("a", "1")
	w.expectOutput("b", "1")
	w.expectHistory("c", 1, "")
	w.expectCount(host.CountReturned, "no time", 1)
	w.run()
	w.expectOutput("c", "1")
	w.expectQuiet()
}

func TestM16AHundredStandardQueueMessagesForARunningInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	names := make([]string, 100)
	for i := range names {
		names[i] = "e"
	}
	w.orchestration("Main", waits(names...))
	w.start("a", "Main", "1")
	w.settleFIFO()
	for i := range 100 {
		w.sendStandard(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte("1"), ID: fmt.Sprint("e-", i)})
	}
	var batches [][]queue.Message
	for {
		batch, err := w.delay.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			break
		}
		batches = append(batches, batch)
	}
	w.beforeCommit = func(*store.Commit) error {
		t.Error("a turn is made of what a standard queue brought")
		return nil
	}
	for _, batch := range batches {
		w.handle(source{"delay", w.delay, platform.SourceDelay}, batch)
	}
	w.beforeCommit = nil
	w.expectCount(host.CountForwarded, "ExternalRaised", 100)
	if n := w.delay.Counts().Total(); n != 0 {
		t.Errorf("%d messages still in the standard queue", n)
	}
	w.run()
	w.expectStatus("a", store.StatusCompleted)
	w.expectQuiet()
}

func TestM17AnInstanceIDThatIsNotAValidGroup(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"order 7", "Größe", strings.Repeat("x", 200)} {
		w := newWorld(t, nil)
		w.orchestration("Chain", chain(2))
		w.activityFunc("Step", step)
		w.start(id, "Chain", "1")
		// The same id in a different group: only the body counts.
		if err := w.fifo.Send(t.Context(), queue.Outgoing{Group: "another",
			Body: w.body(wire.Item{Kind: wire.CancelInstance, Instance: id, ID: "c", Reason: "x"})}); err != nil {
			t.Fatal(err)
		}
		w.run()
		w.expectStatus(id, store.StatusCancelled)
		w.expectQuiet()
		w.expectDead()
		w.expectInvariants(id)
	}
}

func TestM18HopsAreNotDroppedAsDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	item := wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte("1"), ID: "e-1"}
	w.send(item)
	for hop := range 3 {
		// The message moves from the FIFO queue to the delay queue because the instance has not
		// started, and then back to the FIFO queue.
		if !w.step() {
			t.Fatalf("hop %d: it did not arrive on the FIFO queue", hop)
		}
		due, ok := w.delay.NextDue()
		if !ok {
			t.Fatalf("hop %d: it is not in the delay queue", hop)
		}
		w.clock.Advance(due.Sub(w.clock.Now()))
		batch, err := w.delay.Receive(t.Context(), 10, 0)
		if err != nil || len(batch) != 1 {
			t.Fatalf("hop %d: %v, %v", hop, batch, err)
		}
		w.handle(source{"delay", w.delay, platform.SourceDelay}, batch)
		if n := w.fifo.Counts().Total(); n != 1 {
			t.Fatalf("hop %d: %d messages on the FIFO queue, want one", hop, n)
		}
	}
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "[1]")
}
