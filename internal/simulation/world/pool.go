package world

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
)

// newProcess starts a process of the deployed build: a worker of a queue, or an orchestrator if
// serves is nil.
func (w *World) newProcess(serves *Queue) *Process {
	w.started++
	p := &Process{W: w, Code: w.starting(), Serves: serves, clock: skewed{Virtual: w.Clock}, Seen: map[ledger.Execution]int64{}}
	p.clock.p = p
	if w.hit(fault.Skew) {
		p.clock.off = time.Duration(1+w.Choices.IntN(w.How(fault.Skew), 10)) * time.Second
		if w.Choices.Even(w.How(fault.Skew)) {
			p.clock.off = -p.clock.off
		}
	}
	queues := platform.Queues{
		Orchestrator: processQueue{w.FIFO, p}, Delay: processQueue{w.Delay, p}, Activity: processQueue{w.Activity, p}, Named: p.names(),
		ActivityDead: processQueue{w.ActivityDead, p}, DeadFIFO: processQueue{w.DeadFIFO, p}, DeadStandard: processQueue{w.DeadStandard, p},
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], uint64(w.entropy))
	binary.LittleEndian.PutUint64(key[8:], uint64(w.started))
	p.random = rand.NewChaCha8(key)
	set, encodes := w.Encoding.of(w.started, w.calm)
	p.codecs, p.Encodes = set, encodes
	around := platform.Environment{Clock: p.clock, Random: p.random, Go: func(f func()) { f() }, Together: p.together,
		RequestID: p.requestID, Limits: w.limits, Observer: observer{p: p}, Logger: w.logger(p)}
	var err error
	if serves != nil {
		p.Name = fmt.Sprintf("worker%d", w.started)
		queues.Activity, queues.DeadFIFO, queues.DeadStandard = processQueue{serves, p}, nil, nil
		p.Worker, err = worker.New(worker.Config{Activities: w.Scenario.Activities(p), Stops: simStops{w.stops, p}, Queues: queues, Queue: serves.Of, Codecs: set,
			Settings: w.Settings, Environment: around})
	} else {
		p.Name = fmt.Sprintf("orch%d", w.started)
		name := ""
		if w.named {
			name = p.Code.Name
		}
		p.Orchestrator, err = orchestrator.New(orchestrator.Config{
			Build:          name,
			Orchestrations: p.Code.Orchestrations,
			Inline:         w.Scenario.Inline(p),
			Services:       orchestrator.Services{Store: simStore{w.Store, p}, Stops: simStops{w.stops, p}, Queues: queues, Timer: simTimer{w.Timer, p}, Archive: simArchive{p}, Publisher: w.publisher(p)},
			Codecs:         set,
			Keys:           w.ring(p),
			Senders:        platform.Senders{ActivityRole: activityRole},
			Settings:       w.Settings,
			Environment:    around,
		})
	}
	if err != nil {
		panic(err)
	}
	off := ""
	if p.clock.off != 0 {
		off = fmt.Sprintf(", its clock %s off", p.clock.off)
	}
	w.Log("%s starts with build %s%s", p.Name, p.Code.Name, off)
	return p
}

// bury removes a process that is not running; another replaces it when there is something to do.
func (w *World) bury(p *Process) {
	p.Dead = true
	if p.Orchestrator != nil {
		p.Orchestrator.Close()
	}
	w.Processes = slices.DeleteFunc(w.Processes, func(other *Process) bool { return other == p })
}

// free reports whether a worker of the queue, or an orchestrator for nil, is idle or can be
// started.
func (w *World) free(serves *Queue) bool {
	n := 0
	for _, p := range w.Processes {
		if p.Serves == serves {
			if p.Running == nil {
				return true
			}
			n++
		}
	}
	return n < w.slotsOf(serves)
}

// idle returns an idle worker of the queue, or an orchestrator for nil. The caller has checked
// that one is free.
func (w *World) idle(serves *Queue) *Process {
	var free []*Process
	n := 0
	for _, p := range w.Processes {
		if p.Serves == serves {
			n++
			if p.Running == nil {
				free = append(free, p)
			}
		}
	}
	if n < w.slotsOf(serves) && (len(free) == 0 || w.Choices.OneIn(w.Choices.At(choice.OfSchedule, "another process"), 4)) {
		p := w.newProcess(serves)
		w.Processes = append(w.Processes, p)
		return p
	}
	return free[w.Choices.IntN(w.Choices.At(choice.OfSchedule, "process"), len(free))]
}

// requestID names the invocations of a process. In the search of a scope all have the same name,
// because it must make no difference to the state which of two equal processes does something.
func (p *Process) requestID(context.Context) string {
	if p.W.Walk != nil {
		return "a process"
	}
	return p.Name
}
