package world

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// surprises makes things happen in the environment of the processes.
func (w *World) surprises() {
	if w.calm {
		return
	}
	if w.hit(fault.Frozen) {
		d := time.Duration(1+w.Choices.IntN(w.How(fault.Frozen), 48)) * time.Hour
		w.Log("nothing runs for %s", d)
		for _, p := range w.Processes {
			if p.Running != nil {
				p.Running.Slowed, p.Running.SlowCall = true, true
			}
		}
		// Running invocations end at the environment's timeout.
		w.Clock.AdvanceTo(w.Clock.Now().Add(d))
		w.Steps++ // A write that lands meanwhile lands before the next batch is received.
	}
	if w.hit(fault.Deployed) && w.Build == w.Good {
		w.DeployBroken()
	}
	if w.hit(fault.Forged) {
		w.forge()
	}
	if w.hit(fault.Noise) {
		w.makeNoise()
	}
	if w.hit(fault.Purged) {
		w.Scenario.Purge(w)
	}
	if w.has(restores) && w.hit(fault.Restored) {
		w.lostComes()
	}
	if w.has(damages) && w.hit(fault.Damaged) {
		w.damageOne()
	}
	if w.hit(fault.Operator) {
		if all := w.Ledger.Instances(); len(all) > 0 {
			w.SendItem(wire.Item{Kind: wire.Wake, Instance: all[w.Choices.IntN(w.How(fault.Operator), len(all))], ID: fmt.Sprintf("operator-%d", w.Steps)})
		}
	}
}

// wakeOne lets an operator wake an instance, outside its message group.
func (w *World) wakeOne(at choice.Spot) {
	all := w.Ledger.Instances()
	if len(all) == 0 {
		return
	}
	item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: all[w.Choices.IntN(at, len(all))], ID: fmt.Sprintf("aside-%d", w.Steps)}
	if body, err := item.Encode(); err == nil {
		w.SendAs("an operator", w.Delay, queue.Outgoing{Body: string(body)})
	}
}

// makeNoise sends bodies that are not work items.
func (w *World) makeNoise() {
	bodies := []string{`{`, ` `, `{"v":1}`, `{"v":1,"kind":"Nonsense"}`, `{"v":9,"kind":"Wake","instance":"root0"}`, `{"v":1,"kind":"Wake","instance":7}`,
		`{"v":1,"kind":"ExternalRaised","instance":"root0"}`, strings.Repeat("noise", 2000)}
	body := bodies[w.Choices.IntN(w.How(fault.Noise), len(bodies))]
	if w.Choices.Even(w.How(fault.Noise)) {
		w.SendAs("somebody", w.Delay, queue.Outgoing{Body: body})
		return
	}
	w.SendAs("somebody", w.FIFO, queue.Outgoing{Body: body, Group: "root0", DedupID: fmt.Sprintf("noise-%d", w.Steps)})
}
