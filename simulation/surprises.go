package simulation

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/wire"
)

// surprises are what happens to the surroundings.
func (w *World) surprises() {
	if w.calm {
		return
	}
	if w.hit(Frozen) {
		d := time.Duration(1+w.choices.intN(w.how(Frozen), 48)) * time.Hour
		w.log("nothing runs for %s", d)
		// Invocations under way end with the environment's timeout.
		w.clock.advanceTo(w.clock.now.Add(d))
	}
	if w.hit(Deployed) && w.build == w.good {
		b := w.scenario.broken(w)
		w.bad++
		w.deploy(b, time.Duration(w.choices.intN(w.how(Deployed), 60))*time.Second)
		w.clock.AfterFunc(time.Duration(1+w.choices.intN(w.how(Deployed), 6*3600))*time.Second, func() {
			if w.build == b {
				w.deploy(w.good, time.Duration(w.choices.intN(w.how(Deployed), 60))*time.Second)
			}
		})
	}
	if w.hit(Forged) {
		w.forge()
	}
	if w.hit(Operator) {
		if all := w.shadow.instances(); len(all) > 0 {
			w.sendItem(wire.Item{Kind: wire.Wake, Instance: all[w.choices.intN(w.how(Operator), len(all))], ID: fmt.Sprintf("operator-%d", w.Steps)})
		}
	}
}

// forge sends a completion of something that is open, without its token.
func (w *World) forge() {
	all := w.shadow.instances()
	if len(all) == 0 {
		return
	}
	instance := all[w.choices.intN(w.how(Forged), len(all))]
	n := w.shadow.last[instance]
	for _, e := range w.shadow.executions[executionKey{instance, n}].events {
		if e.Kind == history.ActivityScheduled && !w.choices.even(w.how(Forged)) {
			w.sendItem(wire.Item{Kind: wire.ActivityCompleted, Instance: instance, ExecutionID: n, SourceEventID: e.EventID,
				Token: forgedToken, Result: []byte(`"forged"`)})
			return
		}
	}
}

const forgedToken = "00000000000000000000000000000000"
