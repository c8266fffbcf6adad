package simulation

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

func keyOf(info *activity.Info) store.ActivityKey {
	return store.ActivityKey{Instance: info.Instance, ExecutionID: info.ExecutionID, EventID: info.EventID}
}

// attemptBegins checks that an attempt may begin, which it does.
func (w *checker) attemptBegins(p *process, in *program.Work, info *activity.Info) {
	w.hasHeaders(p, info)
	key := keyOf(info)
	violate := func(rule, text string) {
		w.violate(rule, "%s begins attempt %d of activity %d of %s/%d %s", p.name, info.Attempt, key.EventID, key.Instance, key.ExecutionID, text)
	}
	if in.Most > 0 && info.Attempt > in.Most {
		violate("A-05", "which has fewer")
	}
	if info.Inline {
		x := executionKey{key.Instance, key.ExecutionID}
		if r := w.ledger.executions[x]; r != nil && r.completed[key.EventID] != 0 && r.completed[key.EventID] <= p.seen[x] {
			violate("A-14", "inline, and has seen its completion")
		}
		return
	}
	// The first delivery of a first attempt may not look (Settings.LookAfter), though
	// another message of the activity in its batch did.
	if w.knows(p.running).stops[key] && (info.Attempt > 1 || info.Delivery > 1 || w.settings.LookAfter < 0) {
		violate("K-03", "and was told that it is to stop")
	}
	w.checkAgain(p, key, info)
	delete(w.knows(p.running).final, key)
	if in.Do == program.DoesOnce {
		began := attemptKey{key, info.Attempt}
		if w.ledger.outside.begun[began]++; w.ledger.outside.begun[began] > 1 {
			violate("A-16", "again")
		}
	}
}

// failsFinally notes an error behind which no attempt follows.
func (w *checker) failsFinally(p *process, info *activity.Info) {
	note(&w.knows(p.running).final, keyOf(info), info.Attempt)
}

// aboutToRetry checks that nobody sends another attempt behind a final error.
func (w *checker) aboutToRetry(p *process, body string) {
	if p.dead || len(w.knows(p.running).final) == 0 {
		return
	}
	item, err := w.item(body)
	if err != nil || item.Kind != wire.ActivityExecute {
		return
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	if last := w.knows(p.running).final[key]; last > 0 && item.Attempt > last {
		w.violate("A-04", "%s sends attempt %d of activity %d of %s/%d, and attempt %d ended with a final error", p.name, item.Attempt, key.EventID, key.Instance, key.ExecutionID, last)
	}
}

// hasBeaten checks that an attempt that gave a heartbeat knows of its stop.
func (w *checker) hasBeaten(ctx context.Context, p *process, info *activity.Info) {
	if !p.dead && w.knows(p.running).told[keyOf(info)] && ctx.Err() == nil {
		w.violate("F-05", "attempt %d of activity %d of %s/%d gave a heartbeat, the answer to which says that it is to stop, and runs on", info.Attempt, info.EventID, info.Instance, info.ExecutionID)
	}
}

// told notes what a worker was told of a stop.
func (w *checker) told(p *process, key store.ActivityKey, state *store.ActivityState, beat bool) {
	if p.dead || p.worker == nil || !state.Stop {
		return
	}
	k := w.knows(p.running)
	if beat {
		note(&k.told, key, true)
		return
	}
	note(&k.stops, key, true)
	w.of(p.running).toCount++
}

// counts notes what a worker told of attempts that were asked to stop.
func (w *checker) counts(p *process, c host.Counter, reason string, n int) {
	if p.running == nil {
		return
	}
	if c == host.CountAttempts && reason == "stopped" {
		w.of(p.running).toCount -= n
	}
	if c == host.CountCache && reason == "evicted" && w.of(p.running).afterDays {
		w.of(p.running).afterDays = false
		w.reached("W-12")
	}
}

// checkCounted: each attempt that was not begun because of a stop is counted.
func (w *checker) checkCounted(inv *invocation) {
	if w.of(inv).toCount != 0 {
		w.violate("K-03", "%s was told of stops, and has counted %d fewer", inv.p.name, w.of(inv).toCount)
	}
}

// beats: nothing is said of a pending activity by who has no token of it.
func (w *checker) beats(p *process, key store.ActivityKey, beat store.Heartbeat) {
	w.shows(p, func() string { return "a heartbeat" }, beat.Codec, beat.Details, beat.Details)
	beat, err := w.sealing.world.OpenHeartbeat(key, beat)
	if err != nil {
		w.violate("codec", "%v", err)
	}
	if string(beat.Details) == `"`+forgedSign+`"` {
		w.violate("A-12", "%s records a sign of life of activity %d of %s/%d that came with a made up token", p.name, key.EventID, key.Instance, key.ExecutionID)
	}
}

// shown are the faults by which a message comes back while it is handled.
var shown = [...]Fault{Ghost, AckLost, Unhandled, Unavailable, AnswerLost, LandsLate, NeverLands, Repeated, Slow, OutOfTime, Frozen}

func (w *checker) shownAgain() (n int) {
	for _, f := range shown {
		n += w.Faults[f]
	}
	return n
}

// checkHidden is A-10: the message of an attempt is hidden for as long as it
// takes, where nothing goes wrong.
func (w *checker) checkHidden(p *process, batch []delivered) {
	for _, other := range w.processes {
		inv := other.running
		if other == p || other.worker == nil || other.dead || inv == nil || len(inv.batch) > 1 || inv.batch[0].ghost || inv.expired || w.of(inv).shown != w.shownAgain() {
			continue
		}
		if slices.ContainsFunc(batch, func(m delivered) bool { return m.ID == inv.batch[0].ID && !m.ghost }) {
			w.violate("A-10", "%s receives %s, at which %s works", p.name, inv.batch[0].ID, other.name)
		}
	}
}

// checkScopes: what was open in a scope that is over was stopped in the turn in
// which it was.
func (w *checker) checkScopes(x *recorded, t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != history.SystemCall || e.Op != history.OpSideEffect || e.Name != program.ScopeIsOver {
			continue
		}
		var ids []int64
		if err := json.Unmarshal(e.Payload, &ids); err != nil {
			w.violate("world", "event %d of %s/%d: %v", e.EventID, t.Instance, t.ExecutionID, err)
		}
		for _, id := range ids {
			open := x.events[id-1].Kind != history.ExternalSubscribed && x.completed[id] == 0
			if open && !x.stopped[id] {
				w.violate("K-02", "event %d of %s/%d is open in a scope that is over", id, t.Instance, t.ExecutionID)
			}
		}
	}
}
