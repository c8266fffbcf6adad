package check

import (
	"bytes"
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func keyOf(info *activities.Info) store.ActivityKey {
	return store.ActivityKey{Instance: info.Instance, ExecutionID: info.ExecutionID, EventID: info.EventID}
}

// AttemptStarts checks that the attempt that starts may start.
func (w *checker) AttemptStarts(p *world.Process, in *program.Work, info *activities.Info) {
	w.hasHeaders(p, info)
	key := keyOf(info)
	violate := func(rule, text string) {
		w.Violate(rule, "%s starts attempt %d of activity %d of %s/%d %s", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, text)
	}
	if in.Most > 0 && info.Number > in.Most {
		violate("A-05", "which has fewer")
	}
	if info.Inline {
		x := ledger.At(key.Instance, key.ExecutionID)
		if r := w.Ledger.Executions[x]; r != nil && r.Completed[key.EventID] != 0 && r.Completed[key.EventID] <= p.Seen[x] {
			violate("A-14", "inline, and has seen its completion")
		}
		w.checkInlineRun(p, key, in, info)
		w.runsInline(p, key, in, info)
		return
	}
	n, makes := w.of(p.Running), making{info.CompletionToken, info.Number}
	if n.makes[makes] > 0 {
		violate("concurrently", "while the same process is running it")
	}
	note(&n.makes, makes, n.makes[makes]+1)
	// The first delivery of a first attempt need not check for a stop
	// (Settings.Attempt.CancelCheckAfter), although another message of the activity in its batch
	// did.
	if w.knows(p.Running).stops[key] && (info.Number > 1 || info.Delivery > 1 || w.Settings.Attempt.CancelCheckAfter < 0) {
		violate("K-03", "and was notified that it must stop")
	}
	w.checkKeys(p, key, info)
	w.checkForkRuns(p, key)
	w.checkAgain(p, key, info)
	w.checkWaits(p, key, info)
	w.checkEarly(p, key, info)
	w.checkDetails(p, key, info)
	w.checkHeld(p, key, info)
	w.startsUnderLimits(p, key, info)
	w.startsInQueue(p, key, info)
	delete(w.knows(p.Running).final, key)
	if in.Do == program.DoesOnce {
		startedAt := ledger.Attempt{ActivityKey: key, Number: info.Number}
		if w.Ledger.Outside.Started[startedAt]++; w.Ledger.Outside.Started[startedAt] > 1 {
			violate("A-16", "again")
		}
	}
}

// AttemptEnds records the end of an attempt.
func (w *checker) AttemptEnds(p *world.Process, info *activities.Info) {
	if !info.Inline && p.Running != nil {
		w.of(p.Running).makes[making{info.CompletionToken, info.Number}]--
		w.attemptFails(p, info)
		w.endsUnderLimits(p, info)
	}
}

// FailsFinally records an error after which no attempt follows.
func (w *checker) FailsFinally(p *world.Process, info *activities.Info) {
	note(&w.knows(p.Running).final, keyOf(info), info.Number)
}

// aboutToRetry checks that no process sends another attempt after a final
// error.
func (w *checker) aboutToRetry(p *world.Process, body string) {
	if p.Dead || len(w.knows(p.Running).final) == 0 {
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.ActivityExecute {
		return
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	if last := w.knows(p.Running).final[key]; last > 0 && item.Attempt > last {
		w.Violate("A-04", "%s sends attempt %d of activity %d of %s/%d, and attempt %d ended with a final error", p.Name, item.Attempt, key.EventID, key.Instance, key.ExecutionID, last)
	}
}

// HasBeaten checks that the context of an attempt is cancelled if the answer to its heartbeat
// requests a stop.
func (w *checker) HasBeaten(ctx context.Context, p *world.Process, info *activities.Info) {
	w.checkStopReason(ctx, p, info)
	if !p.Dead && w.knows(p.Running).notified[keyOf(info)] && ctx.Err() == nil {
		w.Violate("F-05", "attempt %d of activity %d of %s/%d sent a heartbeat, whose response says that it must stop, and keeps running", info.Number, info.EventID, info.Instance, info.ExecutionID)
	}
}

// Notified records that a worker was notified of a stop. A refused heartbeat does not notify its
// worker, even if another delivery of the same attempt was notified.
func (w *checker) Notified(p *world.Process, key store.ActivityKey, state *store.ActivityState, beat bool) {
	if p.Dead || p.Worker == nil {
		if !p.Dead && p.Running != nil && !state.Beat.At.IsZero() {
			note(&w.of(p.Running).beats, key, state.Beat.At)
		}
		return
	}
	k := w.knows(p.Running)
	if beat {
		note(&k.notified, key, state.Stop)
		w.notifiedUnderLimits(p, key)
		return
	}
	if !state.Stop {
		return
	}
	note(&k.stops, key, true)
	w.of(p.Running).toCount++
}

// Counts records how many attempts a worker reported as asked to stop.
func (w *checker) Counts(p *world.Process, c host.Counter, reason string, n int) {
	if p.Running == nil {
		return
	}
	w.countsStarts(p, c, reason, n)
	if c == host.CountAttempts && reason == "stopped" {
		w.of(p.Running).toCount -= n
	}
	if c == host.CountCache && reason == "evicted" && w.of(p.Running).afterDays {
		w.of(p.Running).afterDays = false
		w.Reached("W-12")
	}
}

// checkCounted: each attempt that was not started because of a stop is counted.
func (w *checker) checkCounted(inv *world.Invocation) {
	if w.of(inv).toCount != 0 {
		w.Violate("K-03", "%s was notified of stops, and has counted %d fewer", inv.P.Name, w.of(inv).toCount)
	}
}

// Beats checks that a process without a token of a pending activity records no heartbeat for it.
func (w *checker) Beats(p *world.Process, key store.ActivityKey, beat store.Heartbeat) {
	w.shows(p, func() string { return "a heartbeat" }, beat.Codec, beat.Details, beat.Details)
	note(&w.trouble.beaten, key, w.Steps)
	beat, err := w.Encoding.World.DecodeHeartbeat(key, beat)
	if err != nil {
		w.Violate("codec", "%v", err)
	}
	if string(beat.Details) == `"`+world.ForgedSign+`"` {
		w.Violate("A-12", "%s records a heartbeat of activity %d of %s/%d that came with a forged token", p.Name, key.EventID, key.Instance, key.ExecutionID)
	}
}

// shown lists the faults that make a message visible while it is being handled.
var shown = [...]fault.Kind{fault.Ghost, fault.AckLost, fault.Unhandled, fault.Unavailable, fault.AnswerLost, fault.LandsLate, fault.NeverLands, fault.Repeated, fault.Slow, fault.OutOfTime, fault.Stalled, fault.Frozen, fault.OldReceipt}

func (w *checker) shownAgain() (n int) {
	for _, f := range shown {
		n += w.Faults[f]
	}
	return n + w.QueueRefusals
}

// checkHidden is A-10: without faults, the message of an attempt is hidden for as long as the
// attempt takes.
func (w *checker) checkHidden(p *world.Process, batch []world.Delivered) {
	for _, other := range w.Processes {
		inv := other.Running
		if other == p || other.Worker == nil || other.Dead || inv == nil || len(inv.Batch) > 1 || inv.Batch[0].Ghost || inv.Batch[0].Late || inv.Expired || w.WasCopied(inv.Batch[0].ID) || w.ActedOn(inv.Batch[0].ID) || w.of(inv).shown != w.shownAgain() ||
			w.permits.shown[inv.Batch[0].ID] >= inv.Started {
			continue
		}
		if slices.ContainsFunc(batch, func(m world.Delivered) bool { return m.ID == inv.Batch[0].ID && !m.Ghost && !m.Late }) {
			w.Violate("A-10", "%s receives %s, which %s is processing", p.Name, inv.Batch[0].ID, other.Name)
		}
	}
}

// checkDetails is A-11: an attempt has the details of the last heartbeat that was recorded before
// its message was received. The first delivery of a first attempt does not read them.
func (w *checker) checkDetails(p *world.Process, key store.ActivityKey, info *activities.Info) {
	at, given := w.trouble.beaten[key]
	if !given || at >= p.Running.Started || info.Number == 1 && info.Delivery == 1 {
		return
	}
	state, err := w.ActivityState(key)
	if err == nil {
		state.Beat, err = w.Encoding.World.DecodeHeartbeat(key, state.Beat)
	}
	w.Reached("A-11, details")
	if err != nil || !bytes.Equal(state.Beat.Details, info.Heartbeat) {
		w.Violate("A-11", "%s starts attempt %d of activity %d of %s/%d with the heartbeat %s, the last one was %s (%v)",
			p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, info.Heartbeat, state.Beat.Details, err)
	}
}

// checkHeld is A-10 for the start of an attempt whose activity has no time limit: one message of
// the attempt, of which the batch may have several, stays hidden until this invocation is over.
func (w *checker) checkHeld(p *world.Process, key store.ActivityKey, info *activities.Info) {
	inv := p.Running
	if inv.Expired || inv.Slowed || w.Walk != nil {
		return
	}
	lost := ""
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil || item.Instance != key.Instance || item.ExecutionID != key.ExecutionID || item.SchedulingEventID != key.EventID || item.Attempt != info.Number {
			continue
		}
		if r := item.Retry; m.Ghost || w.WasCopied(m.ID) || w.ActedOn(m.ID) || r != nil && (r.TimeoutMS > 0 || r.HeartbeatTimeoutMS > 0 || r.LimitKey != "" || r.RateKey != "") {
			return // The worker hides it for as long as the attempt may take, or another call has changed that.
		}
		if m.ReceivedAt.IsZero() && inv.Fooled[m.ID] {
			return // It is not known when it was received, and its queue says that it is hidden.
		}
		held := true
		for _, h := range m.From.Snapshot() {
			if h.ID == m.ID && (h.Receipt != m.Receipt || h.Visible || h.Due.Before(inv.Deadline)) {
				held = false
			}
		}
		if held {
			return
		}
		lost = m.ID
	}
	if lost != "" {
		w.Violate("A-10", "%s starts attempt %d of activity %d of %s/%d, whose message %s another process may receive before the invocation ends",
			p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, lost)
	}
}
