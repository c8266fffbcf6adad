package simulation

import (
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// purgesOf are the ids of the purges of an instance among the messages.
func (inv *invocation) purgesOf(w *World, instance string) (ids []string) {
	for _, m := range inv.batch {
		if item, err := w.item(m.Body); err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0 && item.Target() == instance {
			ids = append(ids, item.ID)
		}
	}
	return ids
}

// purgeKey is a purge that somebody has asked for.
type purgeKey struct{ instance, id string }

// hiding is the life that a purge has hidden, and how many marks its record may
// have been given by then.
type hiding struct {
	execution int64
	marks     marks
}

// marks are those that a record may have been given: of starts and purges, and of
// messages.
type marks struct{ lives, messages int }

// checkPurge is P-02: a purge hides one life of an id, however often it comes,
// until its record has got as many marks as it keeps. asked are those of which one
// has just hidden an execution; which, is known where there is no other.
func (w *World) checkPurge(instance string, execution int64, asked []string) {
	before := w.outside.marks[instance].lives
	if len(asked) != 1 || w.shadow.hidden[instance] == execution {
		return // A tombstone gets a mark.
	}
	key := purgeKey{instance, asked[0]}
	if was, ok := w.outside.purged[key]; ok && was.execution != execution && before-was.marks.lives < store.MaxMarks {
		w.violate("P-02", "%s/%d was hidden by purge %s, which has hidden the life that ended with execution %d", instance, execution, asked[0], was.execution)
	}
	w.outside.purged[key] = hiding{execution, w.outside.marked(instance, 0)}
}

// marked returns how many marks a record may have got when an invocation with so
// many messages has hidden its instance.
func (o *outside) marked(instance string, messages int) marks {
	m := o.marks[instance]
	return marks{m.lives + 3, m.messages + messages} // the purge, its start, and one that was forbidden
}

// aheadOfPurge notes the messages of a batch that stood ahead of the purge by which
// an instance has just been hidden: they had to do with the life that is over,
// whenever they are acknowledged.
func (w *World) aheadOfPurge(inv *invocation, instance string, execution int64, asked []string) {
	var ahead []delivered
	for _, m := range inv.batch {
		item, err := w.item(m.Body)
		switch {
		case err != nil || item.Target() != instance || m.from != w.fifo:
		case item.Kind == wire.PurgeInstance && item.UpToExecution == 0:
			for _, a := range ahead {
				w.outside.former[a.ID] = true
				// What a process has no key to goes round, and is for whatever life it meets.
				if len(asked) == 1 && a.Group == m.Group && w.sealing.complete == nil {
					w.outside.ahead[a.ID] = hiding{execution, w.outside.marks[instance]}
				}
			}
		default:
			ahead = append(ahead, m)
		}
	}
}

// checkAhead is P-02: what stood ahead of a purge in its FIFO group is taken by no
// life behind that, in whatever batch it comes again.
func (w *World) checkAhead(p *process, t *store.Turn) {
	if p.dead || p.running == nil || len(w.outside.ahead) == 0 {
		return
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.SenderID == "" {
			continue
		}
		var by []string
		for _, m := range p.running.batch {
			if item, err := w.item(m.Body); err == nil && item.Target() == t.Instance && item.WithID(m.ID).ID == e.SenderID {
				by = append(by, m.ID)
			}
		}
		if len(by) != 1 {
			continue
		}
		was, ok := w.outside.ahead[by[0]]
		if ok && was.execution < t.ExecutionID && w.outside.marks[t.Instance].messages-was.marks.messages <= store.MaxMessageMarks {
			w.violate("P-02", "%s/%d takes %s of %s, which stood ahead of the purge of execution %d", t.Instance, t.ExecutionID, e.Kind, by[0], was.execution)
		}
	}
}

// checkBehindPurge is P-02: a start that came in one batch behind a purge that has
// hidden its instance begins another life, unless there is one already.
func (w *World) checkBehindPurge(inv *invocation, m delivered) {
	item, err := w.item(m.Body)
	if err != nil || item.Kind != wire.StartOrchestration || !inv.hid[item.Instance] {
		return
	}
	ahead, passed := false, false
	for _, o := range inv.batch {
		other, err := w.item(o.Body)
		switch {
		case o.ID == m.ID:
			passed = true
		case err != nil || other.Target() != item.Instance:
		case other.Kind == wire.PurgeInstance && other.UpToExecution == 0:
			ahead = !passed // The next one may be the one that has hidden it, and this was refused.
		case other.Kind == wire.StartOrchestration && !passed:
			ahead = false // It may have met what that one has begun, and the next purge has hidden.
		}
	}
	last := w.shadow.last[item.Instance]
	if !ahead || w.shadow.hidden[item.Instance] < last {
		return
	}
	for n := int64(1); n <= last; n++ {
		if x := w.shadow.executions[executionKey{item.Instance, n}]; x != nil && x.events[0].Start.StartID == item.ID {
			return
		}
	}
	if !w.queued(item) {
		w.violate("P-02", "%s acknowledged %s, a start behind the purge of %s, which has begun nothing", inv.p.name, m.ID, item.Instance)
	}
}
