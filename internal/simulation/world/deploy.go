package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// Rollout is how the good build takes another one's place: it begins within so
// many seconds and takes so long to replace all processes; meanwhile processes of
// both builds are started.
type Rollout struct {
	Latest int
	Within time.Duration
}

// DeployFirst lets a build run from the beginning, by which instances may be
// stuck, and within an hour the good one in its place.
func (w *World) DeployFirst(b *Build, at choice.Spot) {
	w.Other = true
	w.deployBefore(b, w.Choices.IntN(at, 3600), func() { w.deploy(w.Good, time.Duration(w.Choices.IntN(at, 60))*time.Second) })
}

func (w *World) deployBefore(b *Build, seconds int, good func()) {
	w.Build = b
	w.Clock.AfterFunc(time.Duration(seconds)*time.Second, func() {
		if w.Build == b {
			good()
		}
	})
}

// RollOut lets the good build take another one's place.
func (w *World) RollOut(b *Build, r Rollout, at choice.Spot) {
	w.deployBefore(b, w.Choices.IntN(at, r.Latest), func() {
		w.deploy(w.Good, r.Within)
		w.beside = b
		for _, p := range slices.Clone(w.Processes) {
			if p.Running == nil {
				w.bury(p)
			}
		}
	})
}

// starting is the build of a process that starts: during a slow rollout it may
// be the build before.
func (w *World) starting() *Build {
	if w.beside != nil && w.Build == w.Good && w.Clock.Now().Before(w.replaceAt) && w.Choices.Even(w.Choices.At(choice.OfSchedule, "beside")) {
		return w.beside
	}
	return w.Build
}

// deploy replaces the processes: the idle ones at once or, a rolling
// deployment, some time later; the others after their invocation.
func (w *World) deploy(b *Build, within time.Duration) {
	w.Log("DEPLOY of build %s within %s", b.Name, within)
	w.Other = w.Other || b != w.Good
	w.deploys++
	if b != w.Build {
		w.changed = w.Clock.Now()
	}
	w.Build, w.replaceAt = b, w.Clock.Now().Add(within)
	w.Clock.AfterFunc(within, func() {
		for _, p := range slices.Clone(w.Processes) {
			if p.Code != w.Build && p.Running == nil {
				w.bury(p)
			}
		}
	})
}

// DeployBroken deploys code that does not work, and later what does. Where it
// takes minutes to replace the processes, both run side by side; operators see
// what is stuck, and wake it.
func (w *World) DeployBroken() {
	how := w.How(fault.Deployed)
	b := w.Scenario.Broken(w)
	w.Bad++
	slow := w.Choices.At(how, "slow")
	factor := time.Duration(1)
	if w.Choices.OneIn(slow, 3) {
		factor = 10
	}
	w.deploy(b, factor*time.Duration(w.Choices.IntN(how, 60))*time.Second)
	w.Clock.AfterFunc(time.Duration(1+w.Choices.IntN(how, 6*3600))*time.Second, func() {
		if w.Build != b {
			return
		}
		w.deploy(w.Good, factor*time.Duration(w.Choices.IntN(how, 60))*time.Second)
		for range w.Choices.IntN(slow, 4) {
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(slow, 60))*time.Second, func() { w.wakeOne(slow) })
		}
	})
}

// meanwhile deploys, at once, code that does not work while something is under way
// of which it matters what who takes its messages next makes of them: a commit that
// lands late, or the second copy of a message.
func (w *World) meanwhile(who string) bool {
	if w.Build != w.Good || !w.hitOften(fault.Deployed, who) {
		return false
	}
	w.deployAtOnce()
	return true
}

// deployAtOnce deploys code that does not work, unless it is there, and replaces
// every process that has nothing to do.
func (w *World) deployAtOnce() {
	if w.Build != w.Good {
		return
	}
	w.DeployBroken()
	for _, p := range slices.Clone(w.Processes) {
		if p.Code != w.Build && p.Running == nil {
			w.bury(p)
		}
	}
}

// Build is what the processes of a deployment run.
type Build struct {
	Name           string
	Orchestrations *engine.Registry
}
