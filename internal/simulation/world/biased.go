package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// The effects of the biases of bias.go.

// markIsLate reports whether a change of a record should take effect late.
func (w *World) markIsLate(p *Process, c *class) bool {
	return w.has(lateMarks) && c == reportingWrite && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// commitIsLate reports whether a commit should take effect late: its process dies, or gets an unknown
// outcome.
func (w *World) commitIsLate(p *Process) bool {
	if !w.has(lateCommits) || p.Dead || w.calm {
		return false
	}
	wakes := slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && item.Kind == wire.Wake
	})
	return wakes && w.Choices.OneIn(w.How(fault.CrashLate), 2)
}

// endIsLate reports whether a commit that ends an execution, or changes a problem, should take effect late.
func (w *World) endIsLate(p *Process, c *class) bool {
	// Nothing is promised for a batch that two processes have (docs/internal/rare.md).
	if w.has(redrives) && c.commits && !p.Dead && !w.calm && !p.Running.Duplicate && w.someIs(p.Running.Batch, redrive) && w.Choices.OneIn(w.Choices.At(w.How(fault.LandsLate), "redrive"), 4) {
		return true
	}
	return w.has(lateEnds) && (c == reportingCommit || c == reportingWrite) && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// diesBehindCommit reports whether a process should die after a commit that ends an execution, changes a
// problem, or results from a redelivered message.
func (w *World) diesBehindCommit(p *Process, c *class) bool {
	if p.Dead || w.calm {
		return false
	}
	how := w.Choices.At(w.How(fault.CrashAfter), "end")
	if w.has(overtaken) && c.commits && slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool { return m.ReceiveCount > 1 }) && w.Choices.OneIn(how, 2) {
		return true
	}
	if c.commits && w.diesBesideDuplicate(p.Running) {
		return true
	}
	if c != reportingCommit && c != reportingWrite {
		return false
	}
	if w.has(shortInvocations) && w.Choices.OneIn(how, 3) {
		return true
	}
	return w.has(purges) && w.hasPurge(p.Running) && w.Choices.OneIn(how, 2)
}

// Limited reports whether most activities should have a limit over instances.
func (w *World) Limited() bool { return w.has(limited) }

// WorksUnderLimit decides how long an activity takes in a run with many limits, in which attempts should
// wait for each other. It may kill its process, more often if the activity runs at most once.
func (p *Process) WorksUnderLimit(instance string, once bool) time.Duration {
	w := p.W
	if !w.has(limited) || p.Worker == nil {
		return 0
	}
	at, oneIn := w.Choices.At(w.Choices.At(choice.OfDelivery, "limited"), instance), 12
	if once {
		oneIn = 3
	}
	if !w.calm && w.Choices.OneIn(w.Choices.At(at, "dies"), oneIn) {
		w.faulted(fault.CrashBefore)
		p.Die("crash in an attempt")
		return 0
	}
	d := time.Duration(w.Choices.IntN(at, 20)) * time.Second
	if w.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // A longer activity would run out of time.
	}
	return d
}

// losesWord reports whether the acknowledgement of a message is lost because the message says that
// an attempt went silent: it is redelivered, and by then a later attempt may have a result.
func (w *World) losesWord(m Delivered) bool {
	if !w.has(limited) || w.calm {
		return false
	}
	item, err := w.Item(m.Body)
	if err != nil || item.Kind != wire.ActivityFailed || item.Details == nil || item.Details.Kind != history.FailureInterrupted ||
		!w.Choices.OneIn(w.Choices.At(w.How(fault.AckLost), "unheard"), 2) {
		return false
	}
	w.faulted(fault.AckLost)
	return true
}

func (w *World) hasPurge(inv *Invocation) bool {
	return w.someIs(inv.Batch, func(i *wire.Item) bool { return i.Kind == wire.PurgeInstance && i.UpToExecution == 0 })
}

// someIs reports whether an item of a batch satisfies a predicate.
func (w *World) someIs(batch []Delivered, such func(*wire.Item) bool) bool {
	return slices.ContainsFunc(batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && such(item)
	})
}

// redrive reports whether an item is a start that redrives.
func redrive(item *wire.Item) bool { return item.OnConflict.Redrives() }

// RedrivesMuch reports whether the run has many redrives.
func (w *World) RedrivesMuch() bool { return w.has(redrives) }

// Redrives decides the number of times that an operator redrives an instance, in addition to
// instances that are purged.
func (w *World) Redrives(at choice.Spot) int {
	if !w.has(redrives) {
		return 0
	}
	return 5 + w.Choices.IntN(at, 15)
}

// StopsSoon decides whether an operator terminates an instance that was just redriven.
func (w *World) StopsSoon(at choice.Spot) bool {
	if w.has(redrives) {
		return w.Choices.Even(at)
	}
	return w.Choices.OneIn(at, 4)
}

// PurgesOther decides whether to purge an instance that no client starts: most of these have a parent that
// waits for them.
func (w *World) PurgesOther(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 8)
	}
	return w.Choices.OneIn(at, 3)
}

// Forced decides whether the purge of a running instance uses force.
func (w *World) Forced(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 4)
	}
	return w.Choices.OneIn(at, 4)
}

// RefusedFirst decides whether a purge without force is sent before one with force.
func (w *World) RefusedFirst(at choice.Spot) bool { return w.has(purges) && w.Choices.OneIn(at, 3) }

// Suspends decides the number of times that clients suspend an instance.
func (w *World) Suspends(at choice.Spot) int {
	if w.has(suspends) {
		return w.Choices.IntN(at, 4)
	}
	if !w.Choices.OneIn(at, 8) {
		return 0
	}
	return 1 + w.Choices.IntN(at, 2)
}

// Forks decides the number of times that a client forks an instance.
func (w *World) Forks(at choice.Spot) int {
	if w.has(forks) {
		return w.Choices.IntN(at, 3)
	}
	if !w.Choices.OneIn(at, 40) {
		return 0
	}
	return 1
}

// MeetsRedrive sometimes deploys a build that does not work while a redrive is on its way.
func (w *World) MeetsRedrive(at choice.Spot) {
	if w.has(redrives) && !w.calm && w.Choices.OneIn(at, 6) {
		w.deployAtOnce()
	}
}

// MeetsFork sometimes deploys a build that does not work while a fork is on its way.
func (w *World) MeetsFork(at choice.Spot) {
	if w.has(forks) && !w.calm && w.Choices.OneIn(at, 12) {
		w.deployAtOnce()
	}
}

// diesInBias reports whether a process dies at a call because it handles a message whose processing the
// bias interrupts: the start of a fork or a redrive, or a request that prunes.
func (w *World) diesInBias(p *Process) bool {
	if w.calm || p.Running == nil {
		return false
	}
	has := func(such func(*wire.Item) bool) bool { return w.someIs(p.Running.Batch, such) }
	if w.has(redrives) && has(redrive) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "redrive"), 16) {
		return true
	}
	if w.has(forks) && has(Forks) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "fork"), 16) {
		return true
	}
	return w.has(prunes) && has(func(i *wire.Item) bool { return i.UpToExecution > 0 }) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "prune"), 6)
}

// UnderLimit reports whether the run has instances under a limit.
func (w *World) UnderLimit(at choice.Spot) bool {
	return w.has(coordinators) || w.Choices.OneIn(at, 32)
}

// Scheduled reports whether the run has a schedule.
func (w *World) Scheduled(at choice.Spot) bool { return w.has(schedules) || w.Choices.OneIn(at, 16) }

// Restarts decides whether a client restarts a root at the same time as it sends an event that may end it.
// It does so often if many messages go to two processes, because one of them may see the run and the other
// its end.
func (w *World) Restarts(at choice.Spot) bool {
	if w.has(duplicates) {
		return w.Choices.OneIn(at, 3)
	}
	return w.Choices.OneIn(at, 25)
}

// StartsAhead decides whether, and how long before the end of a root, a client sends the start that
// is to restart it. That is seconds if many messages go to two processes, because one process then
// sees the run and the other sees its end.
func (w *World) StartsAhead(at choice.Spot) (ahead time.Duration, starts bool) {
	if !w.has(duplicates) || !w.Choices.Even(at) {
		return 0, false
	}
	return time.Duration(w.Choices.IntN(at, 20_000)) * time.Millisecond, true
}

// ShortCoordinators decides after how many events a coordinator continues as new; 0 for the default.
func (w *World) ShortCoordinators(at choice.Spot) int64 {
	return []int64{0, 1, 12, 24, 40}[w.Choices.IntN(at, 5)]
}

// Keeps decides how many executions of an instance the programs of a run keep; 0 for all.
func (w *World) Keeps(at choice.Spot) int {
	if !w.has(prunes) && !w.Choices.OneIn(at, 24) {
		return 0
	}
	w.Settings.Purge.Page = []int{0, 1, 3, 7}[w.Choices.IntN(at, 4)]
	return 2 + w.Choices.IntN(at, 3)
}

// SoLate decides how long a client delays a message compared with others.
func (w *World) SoLate(at choice.Spot) time.Duration {
	if !w.has(prunes) || !w.Choices.OneIn(at, 5) {
		return 0
	}
	return time.Duration(1+w.Choices.IntN(at, 20*24)) * time.Hour
}

// Unrest restarts the faults for a few hours after they had stopped.
func (w *World) Unrest(at choice.Spot) {
	w.plan.left = max(w.plan.left, []int{1, 3, 10, 30}[w.Choices.IntN(at, 4)])
	if w.has(prunes) {
		w.plan.left = max(w.plan.left, 10)
	}
	if until := w.Clock.Now().Add(time.Duration(1+w.Choices.IntN(at, 12)) * time.Hour); until.After(w.plan.until) {
		w.plan.until = until
	}
	if w.calm {
		w.Log("FAULTS AGAIN")
		w.calm, w.Calmed = false, time.Time{}
		w.ghosts = nil // No queue keeps a message for that long.
	}
}

// Forks reports whether an item is a start that forks another instance.
func Forks(item *wire.Item) bool {
	return item.Kind == wire.StartOrchestration && item.Origin != nil && item.Origin.Instance != item.Instance
}

// SeldomSuspends returns n such that one start in n starts later.
func (w *World) SeldomSuspends() int {
	if w.has(suspends) {
		return 3
	}
	return 10
}

// receivedTwice decides whether a batch of a standard queue is visible again as soon as it has been
// received.
func (w *World) receivedTwice(worker bool) bool {
	if w.has(purges) && !w.calm && !worker && w.Choices.OneIn(w.Choices.At(w.How(fault.Expired), "purges"), 5) {
		w.faulted(fault.Expired)
		return true
	}
	return w.hit(fault.Expired)
}

// mostAtOnce decides the maximum number of messages that an orchestrator receives at a time.
func (w *World) mostAtOnce(at choice.Spot) int {
	if w.has(overtaken) && w.Choices.Even(at) {
		return 1 + w.Choices.IntN(at, 3)
	}
	// In half of the cases, the largest batch.
	return min(1+w.Choices.IntN(at, 20), 10)
}

// drawPace decides the minimum duration of each call of the run.
func (w *World) drawPace() time.Duration {
	if !w.has(slowCalls) {
		return 0
	}
	return []time.Duration{25, 100, 250, 500}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "pace"), 4)] * time.Millisecond
}

// CallsAreSlow reports whether each call takes some time.
func (w *World) CallsAreSlow() bool { return w.pace > 0 }

// drawRoom decides how many events a commit of the run holds; 0 for no limit.
func (w *World) drawRoom() int {
	if !w.has(smallCommits) {
		return 0
	}
	return []int{4, 5, 6, 8}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "room"), 4)]
}

// drawPart decides how many bytes one part has of a copy that takes several commits; 0 for the
// production value.
func (w *World) drawPart() int {
	if !w.has(smallCommits) {
		return 0
	}
	return []int{1, 400, 1000}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "ahead"), 3)]
}

// fits returns the error for a commit that is too large, as the stores do, before they read anything.
func (w *World) fits(c *store.Commit) error {
	n := 0
	for i := range c.Turns {
		n += len(c.Turns[i].Events)
	}
	if w.Room == 0 || n <= w.Room {
		return nil
	}
	t := &c.Turns[0]
	return &store.TooLargeError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: t.First(), What: "first of too many (simulated)",
		Limit: Plural(w.Room, "event")}
}
