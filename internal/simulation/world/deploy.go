package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// Rollout describes how the good build replaces another: it starts after a number of
// seconds and takes some time to replace all processes. Meanwhile processes of both builds
// are started.
type Rollout struct {
	Latest int
	Within time.Duration
}

// DeployFirst runs a build, with which instances may get stuck, from the start, and
// replaces it with the good one within an hour.
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

// RollOut replaces another build with the good one.
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

// starting returns the build of a process that starts: during a slow rollout it may be the
// previous build.
func (w *World) starting() *Build {
	if w.beside != nil && w.Build == w.Good && w.Clock.Now().Before(w.replaceAt) && w.Choices.Even(w.Choices.At(choice.OfSchedule, "beside")) {
		return w.beside
	}
	return w.Build
}

// deploy replaces the processes: idle ones at once or, in a rolling deployment, some time
// later; the others after their invocation.
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

// DeployBroken deploys a broken build, and later a working one. If replacing the processes
// takes minutes, both builds run at the same time; operators see stuck instances and wake
// them.
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

// meanwhile deploys at once a build that does not work while something is under way whose
// outcome depends on the process that receives its messages next: a commit that lands late,
// or the second copy of a message.
func (w *World) meanwhile(who string) bool {
	if w.Build != w.Good || !w.hitOften(fault.Deployed, who) {
		return false
	}
	w.deployAtOnce()
	return true
}

// deployAtOnce deploys a build that does not work, unless it is already deployed, and
// replaces every idle process.
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

// Build is the code that the processes of a deployment run.
type Build struct {
	Name           string
	Orchestrations *engine.Registry
}
