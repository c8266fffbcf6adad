package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A fault damages the history of an instance's current execution outside all processes, and the
// history is restored later. Then an operator wakes the instance and redrives its dead letters,
// as docs/troubleshooting.md describes, or only redrives them if that suffices. If a purge has
// ended the instance meanwhile, its history stays lost.

// damage is the damage to the history of an instance.
type damage struct {
	// gone is set if the history is empty; otherwise its events cannot be decoded.
	gone bool
}

// damaged returns the damage that is not restored yet; nil if there is none.
func (w *World) damaged(instance string) *damage { return w.damages[instance] }

// WasDamaged reports whether the history of an instance was ever damaged.
func (w *World) WasDamaged(instance string) bool {
	_, was := w.damages[instance]
	return was
}

// damageOne damages the history of an instance, mostly for minutes and sometimes for hours.
func (w *World) damageOne() {
	how := w.How(fault.Damaged)
	all := w.Ledger.Instances()
	if len(all) == 0 {
		return
	}
	instance := all[w.Choices.IntN(how, len(all))]
	if w.damaged(instance) != nil || w.Ledger.Hidden[instance] == w.Ledger.Last[instance] {
		return
	}
	d := &damage{gone: w.Choices.Even(how)}
	if w.damages == nil {
		w.damages = map[string]*damage{}
	}
	w.damages[instance] = d
	lasts := time.Duration(1+w.Choices.IntN(how, 300)) * time.Second
	lasts *= [...]time.Duration{1, 1, 10, 60}[w.Choices.IntN(how, 4)]
	w.Log("DAMAGE to the history of %s for %s", instance, lasts)
	w.Clock.AfterFunc(lasts, func() { w.restore(instance) })
}

// restore restores the history of an instance.
func (w *World) restore(instance string) {
	if w.damaged(instance) == nil {
		return
	}
	w.damages[instance] = nil
	w.Log("the history of %s is RESTORED", instance)
	left := w.Ledger.Unread[instance] == 0 && !w.deadFor(instance)
	if left || w.Choices.Even(w.How(fault.Damaged)) {
		w.SendItem(wire.Item{Kind: wire.Wake, Instance: instance, ID: fmt.Sprintf("restored-%d", w.Steps)})
	}
	w.Redrive()
}

// deadFor reports whether a dead letter is for a damaged instance and causes its history to be
// read again when it is redriven, as a wake does.
func (w *World) deadFor(instance string) bool {
	return slices.ContainsFunc(w.DeadFIFO.Queue.Peek(), func(m queue.Message) bool {
		item, err := w.Item(m.Body)
		if err != nil || item.Target() != instance {
			return false
		}
		switch item.Kind {
		case wire.PurgeInstance, wire.TerminateInstance, wire.CancelInstance, wire.ActivityPending, wire.ActivityHeartbeat:
			return false // The history may not be needed.
		}
		return strings.HasPrefix(m.Attributes[wire.ReasonAttribute], string(wire.ReasonCorrupt))
	})
}

// restoreAll ends all damage.
func (w *World) restoreAll() {
	for _, instance := range w.Ledger.Instances() {
		w.restore(instance)
	}
}

// damagedRead returns the result of a Query for a history that may be damaged.
func (w *World) damagedRead(instance string, execution int64, turns []store.Turn, err error) ([]store.Turn, error) {
	d := w.damaged(instance)
	switch {
	case err != nil || len(turns) == 0:
		return turns, err
	case w.gone(instance, execution):
		return nil, nil
	case d == nil || execution < w.Ledger.Last[instance]:
		// Nothing promises that the unsent messages of a turn are sent if its execution cannot be
		// read.
		return turns, nil
	}
	return nil, &store.CorruptError{Instance: instance, ExecutionID: execution, EventID: turns[0].First(), Reason: "it is no document (simulated)"}
}

// gone reports whether nothing is left of an execution.
func (w *World) gone(instance string, execution int64) bool {
	d := w.damaged(instance)
	return d != nil && d.gone && execution == w.Ledger.Last[instance] || execution <= w.Ledger.Unread[instance]
}
