package check

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Named queues: an attempt is made by a worker of the queue that its activity names, and by no
// other. A process that knows the queue sends the attempt there. A process that does not know it
// sends the attempt to the default queue, whose worker delays it, by 15 minutes at most each time,
// or forwards it as soon as the worker knows the queue.
//
// Keys of a queue take turns: between two messages of a key, or between its first one becoming
// visible and being delivered, each other key has at most one message. And every message of an
// attempt has the key of its activity.
//
// No attempt waits for ever while its queue is served, because otherwise the run would not end.

// startsInQueue checks that a worker of its queue makes the attempt.
func (w *checker) startsInQueue(p *world.Process, key store.ActivityKey, info *activities.Info) {
	r := w.policyOf(key)
	if r == nil || r.Queue == "" {
		if p.Serves.Of != "" {
			w.Violate("queue", "%s of queue %s starts attempt %d of activity %d of %s/%d, which names none", p.Name, p.Serves.Of, info.Number, key.EventID, key.Instance, key.ExecutionID)
		}
		return
	}
	w.Reached("queue")
	if p.Serves.Of != r.Queue {
		w.Violate("queue", "%s of queue %q starts attempt %d of activity %d of %s/%d, which is for queue %s", p.Name, p.Serves.Of, info.Number, key.EventID, key.Instance, key.ExecutionID, r.Queue)
	}
}

// sendsToQueue checks to which queue a process sends an attempt, and with which key.
func (w *checker) sendsToQueue(p *world.Process, to *world.Queue, m *queue.Outgoing) {
	if p.Dead || p.Running == nil || len(w.Named) == 0 || to != w.Activity && to.Of == "" || !strings.Contains(m.Body, string(wire.ActivityExecute)) {
		return
	}
	item, err := w.Item(m.Body)
	if err != nil || item.Kind != wire.ActivityExecute {
		return
	}
	violate := func(rule, what string) {
		w.Violate(rule, "%s sends attempt %d of activity %d of %s/%d to queue %q%s", p.Name, item.Attempt, item.SchedulingEventID, item.Instance, item.ExecutionID, to.Of, what)
	}
	named, group := "", ""
	if r := item.Retry; r != nil {
		if named = r.Queue; r.FairKey != "" {
			group = wire.Group(r.FairKey)
		}
	}
	if m.Group != group {
		violate("fair", " under the key "+m.Group+", it has "+group)
	}
	if to.Of == named {
		return
	}
	if to.Of != "" {
		violate("queue", ", it is for "+named)
		return
	}
	i := slices.IndexFunc(p.Running.Batch, func(d world.Delivered) bool { return w.isAttempt(d, item) })
	if i >= 0 && p.Worker != nil {
		if was, err := w.Item(p.Running.Batch[i].Body); err == nil && was.NotBeforeMS > 0 {
			return // It was not due.
		}
		w.Reached("queue, nobody serves it")
		if item.NotBeforeMS > 0 {
			violate("queue", ", it is for "+named+", and waits there for longer than a queue allows")
		}
	}
	if p.Knows(named) {
		violate("queue", ", it is for "+named+", which it knows")
	}
}

// isAttempt reports whether a message is for the same attempt as an item.
func (w *checker) isAttempt(d world.Delivered, item *wire.Item) bool {
	was, err := w.Item(d.Body)
	return err == nil && was.Kind == wire.ActivityExecute && was.Instance == item.Instance && was.ExecutionID == item.ExecutionID &&
		was.SchedulingEventID == item.SchedulingEventID && was.Attempt == item.Attempt
}

// turn records what happened since the last message of a key was delivered, or since its first one
// became visible.
type turn struct {
	key string
	// visible are messages of the key, as of the last receive.
	visible []string
	// passed counts the delivered messages of other keys.
	passed map[string]int
}

// HandsOut implements world.Watcher.
func (w *checker) HandsOut(from *world.Queue, visible, msgs []queue.Message) {
	turns := w.turnsNow(from, visible)
	for _, m := range msgs {
		for _, t := range turns {
			if t.key != m.Group {
				if t.passed[m.Group]++; t.passed[m.Group] > 1 {
					w.Violate("fair", "queue %s delivers %s of the key %q, the second one while %s of the key %q waits", from.Name, m.ID, m.Group, t.visible[0], t.key)
				}
				continue
			}
			if len(t.passed) > 0 {
				w.Reached("fair, in its turn")
			}
			t.passed = map[string]int{}
			t.visible = slices.DeleteFunc(t.visible, func(id string) bool { return id == m.ID })
		}
		turns = slices.DeleteFunc(turns, func(t *turn) bool { return len(t.visible) == 0 })
	}
	note(&w.turns, from.Name, turns)
}

// turnsNow returns the turns of the keys that have visible messages.
func (w *checker) turnsNow(from *world.Queue, visible []queue.Message) (turns []*turn) {
	ids := map[string][]string{}
	for _, m := range visible {
		if ids[m.Group] == nil {
			turns = append(turns, &turn{key: m.Group, passed: map[string]int{}})
		}
		ids[m.Group] = append(ids[m.Group], m.ID)
	}
	for _, t := range turns {
		t.visible = ids[t.key]
		for _, was := range w.turns[from.Name] {
			// A key that had no message for some time starts again.
			if was.key == t.key && slices.ContainsFunc(was.visible, func(id string) bool { return slices.Contains(t.visible, id) }) {
				t.passed = was.passed
			}
		}
	}
	return turns
}
