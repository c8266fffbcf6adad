package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/wire"
)

// surprises are what happens to the surroundings.
func (w *World) surprises() {
	if w.calm {
		return
	}
	if w.hit(Frozen) {
		d := time.Duration(1+w.choices.IntN(w.how(Frozen), 48)) * time.Hour
		w.log("nothing runs for %s", d)
		for _, p := range w.processes {
			if p.running != nil {
				p.running.slowed = true
			}
		}
		// Invocations under way end with the environment's timeout.
		w.clock.AdvanceTo(w.clock.Now().Add(d))
		w.Steps++ // What lands meanwhile does so before the next batch is received.
	}
	if w.hit(Deployed) && w.build == w.good {
		w.deployBroken()
	}
	if w.hit(Forged) {
		w.forge()
	}
	if w.hit(Noise) {
		w.makeNoise()
	}
	if w.hit(Purged) {
		w.scenario.purge(w)
	}
	if w.hit(Operator) {
		if all := w.ledger.instances(); len(all) > 0 {
			w.sendItem(wire.Item{Kind: wire.Wake, Instance: all[w.choices.IntN(w.how(Operator), len(all))], ID: fmt.Sprintf("operator-%d", w.Steps)})
		}
	}
}

// deployBroken deploys code that does not work, and later what does. Where it
// takes minutes to replace the processes, both run side by side; operators see
// what is stuck, and wake it.
func (w *World) deployBroken() {
	how := w.how(Deployed)
	b := w.scenario.broken(w)
	w.bad++
	slow := w.choices.At(how, "slow")
	factor := time.Duration(1)
	if w.choices.OneIn(slow, 3) {
		factor = 10
	}
	w.deploy(b, factor*time.Duration(w.choices.IntN(how, 60))*time.Second)
	w.clock.AfterFunc(time.Duration(1+w.choices.IntN(how, 6*3600))*time.Second, func() {
		if w.build != b {
			return
		}
		w.deploy(w.good, factor*time.Duration(w.choices.IntN(how, 60))*time.Second)
		for range w.choices.IntN(slow, 4) {
			w.clock.AfterFunc(time.Duration(w.choices.IntN(slow, 60))*time.Second, func() { w.wakeOne(slow) })
		}
	})
}

// meanwhile deploys, at once, code that does not work while something is under way
// of which it matters what who takes its messages next makes of them: a commit that
// lands late, or the second copy of a message.
func (w *World) meanwhile(who string) bool {
	if w.build != w.good || !w.hitOften(Deployed, who) {
		return false
	}
	w.deployAtOnce()
	return true
}

// deployAtOnce deploys code that does not work, unless it is there, and replaces
// every process that has nothing to do.
func (w *World) deployAtOnce() {
	if w.build != w.good {
		return
	}
	w.deployBroken()
	for _, p := range slices.Clone(w.processes) {
		if p.code != w.build && p.running == nil {
			w.bury(p)
		}
	}
}

// wakeOne lets an operator wake an instance, past its group.
func (w *World) wakeOne(at choice.Spot) {
	all := w.ledger.instances()
	if len(all) == 0 {
		return
	}
	item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: all[w.choices.IntN(at, len(all))], ID: fmt.Sprintf("aside-%d", w.Steps)}
	if body, err := item.Encode(); err == nil {
		w.sendAs("an operator", w.delay, queue.Outgoing{Body: string(body)})
	}
}

// makeNoise sends what is no work item.
func (w *World) makeNoise() {
	bodies := []string{`{`, ` `, `{"v":1}`, `{"v":1,"kind":"Nonsense"}`, `{"v":9,"kind":"Wake","instance":"root0"}`, `{"v":1,"kind":"Wake","instance":7}`,
		`{"v":1,"kind":"ExternalRaised","instance":"root0"}`, strings.Repeat("noise", 2000)}
	body := bodies[w.choices.IntN(w.how(Noise), len(bodies))]
	if w.choices.Even(w.how(Noise)) {
		w.sendAs("somebody", w.delay, queue.Outgoing{Body: body})
		return
	}
	w.sendAs("somebody", w.fifo, queue.Outgoing{Body: body, Group: "root0", DedupID: fmt.Sprintf("noise-%d", w.Steps)})
}
