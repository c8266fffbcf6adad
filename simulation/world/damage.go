package world

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/simulation/fault"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Somebody damages the histories of an instance, behind the back of all processes,
// and later restores them as they were: then an operator wakes the instance, and
// redrives its dead letters, as docs/troubleshooting.md says.

// damage is what was done to the histories of an instance.
type damage struct {
	// gone: nothing is there any more; else what is there can't be decoded.
	gone bool
}

// damaged returns the damage that is not restored yet; nil if there is none.
func (w *World) damaged(instance string) *damage { return w.damages[instance] }

// WasDamaged reports whether an instance ever had histories that were damaged.
func (w *World) WasDamaged(instance string) bool {
	_, was := w.damages[instance]
	return was
}

// damageOne damages the histories of an instance, for minutes mostly and for hours at
// times.
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
	w.Log("DAMAGE to the histories of %s for %s", instance, lasts)
	w.Clock.AfterFunc(lasts, func() { w.restore(instance) })
}

// restore gives an instance its histories back.
func (w *World) restore(instance string) {
	if w.damaged(instance) == nil {
		return
	}
	w.damages[instance] = nil
	w.Log("the histories of %s are RESTORED", instance)
	w.SendItem(wire.Item{Kind: wire.Wake, Instance: instance, ID: fmt.Sprintf("restored-%d", w.Steps)})
	w.Redrive()
}

// restoreAll ends all damage.
func (w *World) restoreAll() {
	for _, instance := range w.Ledger.Instances() {
		w.restore(instance)
	}
}

// damagedRead is what a Query finds of histories that may be damaged.
func (w *World) damagedRead(instance string, execution int64, turns []store.Turn, err error) ([]store.Turn, error) {
	d := w.damaged(instance)
	switch {
	case d == nil || err != nil || len(turns) == 0:
		return turns, err
	case d.gone:
		return nil, nil
	}
	return nil, &store.CorruptError{Instance: instance, ExecutionID: execution, EventID: turns[0].First(), Reason: "it is no document (simulated)"}
}
