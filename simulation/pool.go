package simulation

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/simulation/choice"
)

// newProcess starts a process of the build that is deployed.
func (w *World) newProcess(worker bool) *process {
	w.started++
	p := &process{w: w, code: w.starting(), clock: skewed{Virtual: w.clock}, seen: map[executionKey]int64{}}
	p.clock.p = p
	if w.hit(Skew) {
		p.clock.off = time.Duration(1+w.choices.IntN(w.how(Skew), 5*60)) * time.Second
		if w.choices.Even(w.how(Skew)) {
			p.clock.off = -p.clock.off
		}
	}
	queues := host.Queues{
		Orchestrator: processQueue{w.fifo, p}, Delay: processQueue{w.delay, p}, Activity: processQueue{w.activity, p},
		ActivityDead: processQueue{w.activityDead, p}, DeadFIFO: processQueue{w.deadFIFO, p}, DeadStandard: processQueue{w.deadStandard, p},
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], uint64(w.entropy))
	binary.LittleEndian.PutUint64(key[8:], uint64(w.started))
	p.random = rand.NewChaCha8(key)
	set, seals := w.sealing.of(w.started, w.calm)
	p.seals = seals
	here := func(f func()) { f() }
	var err error
	if worker {
		p.name = fmt.Sprintf("worker%d", w.started)
		queues.DeadFIFO, queues.DeadStandard = nil, nil
		p.worker, err = host.NewWorker(host.WorkerConfig{Activities: w.scenario.activities(p), Stops: simStops{w.stops, p}, Queues: queues, Codecs: set,
			Settings: w.settings, Environment: host.Environment{Clock: p.clock, Random: p.random, Go: here, Together: p.together, RequestID: p.requestID, Observer: observer{p: p}, Logger: w.logger(p)}})
	} else {
		p.name = fmt.Sprintf("orch%d", w.started)
		name := ""
		if w.named {
			name = p.code.name
		}
		p.orchestrator, err = host.NewOrchestrator(host.OrchestratorConfig{
			Build:          name,
			Orchestrations: p.code.orchestrations, Inline: w.scenario.inline(p), Store: simStore{w.store, p}, Stops: simStops{w.stops, p},
			Queues: queues, Timer: simTimer{w.timer, p}, Codecs: set, Keys: w.ring(p), ActivityRole: activityRole, Settings: w.settings, Environment: host.Environment{Clock: p.clock, Random: p.random, Go: here, Together: p.together, RequestID: p.requestID, Observer: observer{p: p}, Logger: w.logger(p)}})
	}
	if err != nil {
		panic(err)
	}
	off := ""
	if p.clock.off != 0 {
		off = fmt.Sprintf(", its clock %s off", p.clock.off)
	}
	w.log("%s starts with build %s%s", p.name, p.code.name, off)
	return p
}

// bury ends a process that is not running; another takes its place when there
// is something to do.
func (w *World) bury(p *process) {
	p.dead = true
	if p.orchestrator != nil {
		p.orchestrator.Close()
	}
	w.processes = slices.DeleteFunc(w.processes, func(other *process) bool { return other == p })
}

// free reports whether a process of the role has nothing to do, or can be
// started.
func (w *World) free(worker bool) bool {
	n := 0
	for _, p := range w.processes {
		if (p.worker != nil) == worker {
			if p.running == nil {
				return true
			}
			n++
		}
	}
	return n < w.slots
}

// idle returns a process of the role that has nothing to do; one is free.
func (w *World) idle(worker bool) *process {
	var free []*process
	n := 0
	for _, p := range w.processes {
		if (p.worker != nil) == worker {
			n++
			if p.running == nil {
				free = append(free, p)
			}
		}
	}
	if n < w.slots && (len(free) == 0 || w.choices.OneIn(w.choices.At(choice.OfSchedule, "another process"), 4)) {
		p := w.newProcess(worker)
		w.processes = append(w.processes, p)
		return p
	}
	return free[w.choices.IntN(w.choices.At(choice.OfSchedule, "process"), len(free))]
}

// starting is the build of a process that starts: in a rollout that takes its
// time, that of the one before, too.
func (w *World) starting() *build {
	if w.beside != nil && w.build == w.good && w.clock.Now().Before(w.replaceAt) && w.choices.Even(w.choices.At(choice.OfSchedule, "beside")) {
		return w.beside
	}
	return w.build
}

// deploy replaces the processes: the idle ones at once or, a rolling
// deployment, some time later; the others behind their invocation.
func (w *World) deploy(b *build, within time.Duration) {
	w.log("DEPLOY of build %s within %s", b.name, within)
	w.other = w.other || b != w.good
	w.deploys++
	w.build, w.replaceAt = b, w.clock.Now().Add(within)
	w.clock.AfterFunc(within, func() {
		for _, p := range slices.Clone(w.processes) {
			if p.code != w.build && p.running == nil {
				w.bury(p)
			}
		}
	})
}

// requestID names the invocations of a process. Where a scope is searched all
// have one name: which of two equal processes does what makes no other state.
func (p *process) requestID(context.Context) string {
	if p.w.walk != nil {
		return "a process"
	}
	return p.name
}
