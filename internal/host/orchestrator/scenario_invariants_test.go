package orchestrator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// town has instances that end, wait, sleep and are stuck, and messages of every kind for them. Its
// processes are killed at random.
type town struct {
	*world
	// seen is the last read of each execution (I-05).
	seen map[string][]history.Event
	// kills is the number of remaining kills.
	kills  int
	chance *rand.Rand
}

func newTown(t *testing.T, seed uint64, kills int) *town {
	t.Helper()
	v := &town{seen: map[string][]history.Event{}, kills: kills, chance: rand.New(rand.NewPCG(seed, 1))}
	v.world = newWorld(t, func(w *world) {
		w.idle = 3 * time.Hour
		w.activityFunc("Step", step)
		w.orchestration("Chain", chain(2))
		w.orchestration("Wait", waits("e", "nobody sends this"))
		w.orchestration("Sleep", sleeps(72*time.Hour))
		w.orchestration("Stuck", func(*engine.Context, []byte) ([]byte, error) { panic("wrong code") })
		w.orchestration("Again", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if len(in) < 3 {
				return nil, ctx.ContinueAsNew("", append(in[:len(in):len(in)], '1'), nil)
			}
			return ctx.Await(ctx.ExternalEvent("e"))
		})
		w.orchestration("Race", func(ctx *engine.Context, in []byte) ([]byte, error) {
			work := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			_, err := ctx.Select(false, work, ctx.Timer(5*time.Minute), ctx.Timer(5*time.Hour))
			return nil, err
		})
		// A parent waits only for its stuck child.
		w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Stuck", Instance: "stuck child", Input: in}))
		})
	})
	v.afterCommit = func(c *store.Commit, err error) error {
		for i := range c.Turns {
			v.readAgain(c.Turns[i].Instance, c.Turns[i].ExecutionID)
		}
		return err
	}
	return v
}

// readAgain checks I-05: of two reads of one execution, the earlier is a prefix of the later.
func (v *town) readAgain(instance string, execution int64) {
	v.Helper()
	now := v.events(instance, execution)
	key := fmt.Sprint(execution, " ", instance)
	before := v.seen[key]
	if len(before) > len(now) || len(before) > 0 && !reflect.DeepEqual(before, now[:len(before)]) {
		v.Errorf("I-05: %s execution %d was %s, is %s", instance, execution, short(before), short(now))
	}
	v.seen[key] = now
}

// populate sends everything, some of it twice.
func (v *town) populate() {
	v.Helper()
	for _, name := range []string{"Chain", "Wait", "Sleep", "Stuck", "Again", "Race", "Parent"} {
		v.start(strings.ToLower(name), name, "1")
	}
	for range 2 {
		v.raise("wait", "e", "1", "e-wait")
		v.raise("again", "e", "2", "e-again")
		v.raise("nobody", "e", "3", "e-nobody")
		v.raise("stuck", "e", "4", "e-stuck")
		v.sendStandard(wire.Item{Kind: wire.StartOrchestration, Instance: "chain", Name: "Chain", Input: []byte("9"), ID: "another start"})
	}
	v.send(wire.Item{Kind: wire.CancelInstance, Instance: "nobody", ID: "c-nobody"})
	v.send(wire.Item{Kind: wire.TimerFired, Instance: "chain", ExecutionID: 1, SourceEventID: 2, Token: "forged", FireAtMS: 1})
	if err := v.fifo.Send(v.Context(), queue.Outgoing{Body: "{", Group: "broken", DedupID: "broken"}); err != nil {
		v.Fatal(err)
	}
}

// live runs the world with kills, and checks I-07 for each batch.
func (v *town) live() {
	v.Helper()
	end := v.clock.Now().Add(v.idle)
	for n := 0; n < 100_000; n++ {
		if v.batch() {
			continue
		}
		next, ok := v.nextDue()
		if !ok || next.After(end) {
			return
		}
		v.advance(next)
	}
	v.Fatal("no end to the messages")
}

func (v *town) batch() bool {
	v.Helper()
	for _, s := range v.sources() {
		batch, err := s.queue.Receive(v.Context(), 1+v.chance.IntN(10), 0)
		if err != nil {
			v.Fatal(err)
		}
		if len(batch) == 0 {
			continue
		}
		v.armed(s)
		counted := v.settledOrCounted()
		v.handle(s, batch)
		if gone := len(batch) - stillThere(s, batch); s.from != platform.SourceActivity && gone > v.settledOrCounted()-counted {
			v.Errorf("I-07: %d messages were acknowledged, %d counted", gone, v.settledOrCounted()-counted)
		}
		return true
	}
	return false
}

// armed makes the process that receives the batch die at one of its next calls.
func (v *town) armed(s source) {
	if v.kills == 0 || v.chance.IntN(3) > 0 {
		return
	}
	v.kills--
	f := v.process().faults
	if s.from == platform.SourceActivity {
		f = v.workerProcess().faults
	}
	f.killAt, f.after = f.calls+1+v.chance.IntN(4), v.chance.IntN(2) == 0
}

// settledOrCounted is the number of messages whose outcome the orchestrator has reported.
func (v *town) settledOrCounted() int {
	v.observer.mu.Lock()
	defer v.observer.mu.Unlock()
	n := 0
	for counter, count := range v.observer.counts {
		switch c, _, _ := strings.Cut(counter, " "); host.Counter(c) {
		case host.CountMessages, host.CountDeadLettered, host.CountDelayed, host.CountForwarded:
			n += count
		}
	}
	return n
}

func stillThere(s source, batch []queue.Message) int {
	there := map[string]bool{}
	for _, m := range s.queue.Peek() {
		there[m.ID] = true
	}
	n := 0
	for _, m := range batch {
		if there[m.ID] {
			n++
		}
	}
	return n
}

// expectWaiting checks I-03 for all instances: each has ended, is marked as stuck with a reason, or
// waits for something that exists.
func (v *town) expectWaiting() {
	v.Helper()
	page, err := v.store.List(context.Background(), store.ListQuery{})
	if err != nil {
		v.Fatal(err)
	}
	for _, r := range page.Records {
		if r.Status.Terminal() || r.Problem != nil && r.Problem.Message != "" {
			continue
		}
		events := v.events(r.Instance, r.ExecutionID)
		open := dispatch.Work{}
		waits := map[string]int{}
		for _, turn := range v.turns(r.Instance, r.ExecutionID) {
			open.Add(turn.Events)
			open.Close(turn.Cancelled)
		}
		for i := range events {
			switch e := &events[i]; e.Kind {
			case history.ExternalSubscribed:
				waits[e.Name]++
			case history.ExternalEvent:
				waits[e.Name]--
			}
		}
		waiting := false
		for _, n := range waits {
			waiting = waiting || n > 0
		}
		for id, w := range open {
			waiting = true
			if !v.exists(&r, id, w) {
				v.Errorf("I-03: instance %s waits for event %d, and nothing will come of it: %s", r.Instance, id, short(events))
			}
		}
		if !waiting {
			v.Errorf("I-03: instance %s is %s and waits for nothing: %s", r.Instance, r.Status, short(events))
		}
	}
}

// exists reports whether something exists that will complete an open operation.
func (v *town) exists(r *store.Record, eventID int64, w dispatch.Open) bool {
	if w.Kind == history.SubOrchestrationScheduled {
		child := v.record(w.Child)
		return child.Instance != "" && !child.Status.Terminal()
	}
	name := timer.Name(r.Instance, r.ExecutionID, eventID, w.AtMS)
	for _, s := range v.timer.Pending() {
		if s.Name == name {
			return true
		}
	}
	for _, s := range v.sources() {
		for _, m := range s.queue.Peek() {
			item, err := wire.Parse([]byte(m.Body))
			if err == nil && item.Target() == r.Instance && item.ExecutionID == r.ExecutionID && max(item.SourceEventID, item.SchedulingEventID) == eventID {
				return true
			}
		}
	}
	return false
}

// fates checks I-07 for the sent messages: each has a known outcome.
func (v *town) fates() {
	v.Helper()
	for instance, id := range map[string]string{"wait": "e-wait", "stuck": "e-stuck"} {
		if n := v.recorded(instance, id); n != 1 {
			v.Errorf("I-07: event %s is recorded %d times", id, n)
		}
	}
	// The event may be in the execution that it reached, and in later executions that carried it
	// over.
	if n := v.recorded("again", "e-again"); n < 1 || n > int(v.record("again").ExecutionID) {
		v.Errorf("I-07: event e-again is recorded %d times", n)
	}
	reasons := map[string]int{}
	for _, q := range []source{{queue: v.deadFIFO}, {queue: v.deadStandard}} {
		for _, m := range q.queue.Peek() {
			word, text, ok := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
			if !ok || text == "" {
				v.Errorf("I-07: a dead letter has no reason: %q", m.Body)
			}
			reasons[word]++
		}
	}
	for _, reason := range []wire.Reason{wire.ReasonMalformed, wire.ReasonUnknownInstance, wire.ReasonMisaddressed} {
		if reasons[string(reason)] == 0 {
			v.Errorf("I-07: no dead letter for reason %s: %v", reason, reasons)
		}
	}
}

func (v *town) recorded(instance, senderID string) int {
	v.Helper()
	n := 0
	for execution := int64(1); execution <= v.record(instance).ExecutionID; execution++ {
		for _, e := range v.events(instance, execution) {
			if e.Kind == history.ExternalEvent && e.SenderID == senderID {
				n++
			}
		}
	}
	return n
}

func TestI03I05I07UnderRandomKills(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			v := newTown(t, seed, int(seed)%12)
			v.populate()
			v.live()
			for instance, want := range map[string]store.Status{"chain": store.StatusCompleted, "race": store.StatusCompleted, "again": store.StatusCompleted,
				"wait": store.StatusRunning, "sleep": store.StatusRunning, "parent": store.StatusRunning, "stuck": store.StatusStuck, "stuck child": store.StatusStuck} {
				v.expectStatus(instance, want)
			}
			v.expectWaiting()
			v.fates()
			v.expectInvariants("chain", "race", "again", "wait", "sleep", "parent")
		})
	}
}
