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

// hidings is how many times an id may be hidden, or its tombstone get a mark, before
// a purge of it is forgotten: a record keeps so many marks, up to three of each.
const hidings = store.MaxMarks / 3

// hiding is the life that a purge has hidden, and the how-manieth time that was.
type hiding struct {
	execution int64
	n         int
}

// checkPurge is P-02: a purge hides one life of an id, however often it comes.
// asked are those of which one has just hidden an execution; which, is known
// where there is no other.
func (w *World) checkPurge(instance string, execution int64, asked []string) {
	w.outside.hidden[instance]++
	if len(asked) != 1 || w.shadow.hidden[instance] == execution {
		return // A tombstone gets a mark.
	}
	key, n := purgeKey{instance, asked[0]}, w.outside.hidden[instance]
	if was, ok := w.outside.purged[key]; ok && was.execution != execution && n-was.n < hidings {
		w.violate("P-02", "%s/%d was hidden by purge %s, which has hidden the life that ended with execution %d", instance, execution, asked[0], was.execution)
	}
	w.outside.purged[key] = hiding{execution, n}
}

// aheadOfPurge notes the messages of a batch that stood ahead of the purge by which
// an instance has just been hidden: they had to do with the life that is over,
// whenever they are acknowledged.
func (w *World) aheadOfPurge(inv *invocation, instance string) {
	var ahead []string
	for _, m := range inv.batch {
		item, err := w.item(m.Body)
		switch {
		case err != nil || item.Target() != instance || m.from != w.fifo:
		case item.Kind == wire.PurgeInstance && item.UpToExecution == 0:
			for _, id := range ahead {
				w.outside.former[id] = true
			}
		default:
			ahead = append(ahead, m.ID)
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
