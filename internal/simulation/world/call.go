package world

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// class is a kind of call: the faults that it may have, and the errors for them.
type class struct {
	of                             service
	faults                         fault.Calls
	commits                        bool
	unavailable, unknown, conflict error
}

// call makes one call that leaves the process, with the fault that the choices decide.
func (p *Process) call(c *class, what func() string, effect func() error) error {
	if p.Dead {
		return ErrKilled
	}
	w := p.W
	if p.Running != nil {
		p.Running.called = true
	}
	if w.Walk != nil && p.alarmed {
		return effect()
	}
	if w.Walk != nil {
		return w.Walk.call(p, c, what, effect)
	}
	who := ""
	if w.Choices.Located() {
		who = spotText(what())
		p.Running.about = who
	}
	p.stallsNow()
	p.Pause(w.latency(p.Running, who))
	if p.Dead {
		return ErrKilled
	}
	w.lately = who
	if w.refuses(c.of, p) {
		if c.of == theQueues {
			w.QueueRefusals++
		}
		w.Reached("outage")
		if w.Tracing {
			w.Log("%s %s: refused", p.Name, what())
		}
		return fmt.Errorf("%w (simulated)", c.unavailable)
	}
	if w.markIsLate(p, c) {
		w.faulted(fault.LandsLate)
		w.landLater(p, what, effect, false, w.Choices.Even(w.How(fault.LandsLate)))
		if w.Build == w.Good && w.Choices.Even(w.How(fault.LandsLate)) {
			w.DeployBroken()
		}
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if c.commits && w.commitIsLate(p) || w.endIsLate(p, c) {
		dies := w.Choices.Even(w.How(fault.CrashLate))
		w.landLater(p, what, effect, dies, true)
		w.deployAtOnce()
		if dies {
			w.faulted(fault.CrashLate)
			p.Die("crash, and its commit lands late")
			return ErrKilled
		}
		w.faulted(fault.LandsLate)
		p.Running.unheard = true
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if c == repeatedCommit && p.Running != nil && p.Running.unheard {
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if w.diesBehindCommit(p, c) {
		w.faulted(fault.CrashAfter)
		_ = effect()
		p.Die("crash behind its commit")
		return ErrKilled
	}
	if w.diesInBias(p) {
		w.faulted(fault.CrashAfter)
		if w.Choices.Even(w.How(fault.CrashAfter)) {
			_ = effect()
		}
		p.Die("crash at a call, in the middle of what the run is to see cut short")
		return ErrKilled
	}
	if f := w.hitCall(c.faults, who); f != fault.None {
		if w.Tracing {
			w.Log("%s %s: FAULT %s", p.Name, what(), f)
		}
		switch f {
		case fault.CrashBefore:
			p.Die("crash")
			return ErrKilled
		case fault.CrashAfter:
			_ = effect()
			p.Die("crash")
			return ErrKilled
		case fault.CrashLate:
			w.landLater(p, what, effect, true, c == reportingWrite && w.meanwhile(who))
			p.Die("crash")
			return ErrKilled
		case fault.Unavailable:
			return fmt.Errorf("%w (simulated)", c.unavailable)
		case fault.AnswerLost:
			_ = effect()
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.LandsLate:
			w.landLater(p, what, effect, false, c == reportingWrite && w.meanwhile(who))
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.NeverLands:
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.Repeated:
			// The client library recognizes its own write on a retry.
			first := effect()
			if w.Choices.Even(w.How(fault.Repeated)) {
				w.landLater(p, what, effect, false, false)
				return first
			}
			if second := effect(); first != nil {
				return second
			}
			return nil
		case fault.FalseConflict:
			return fmt.Errorf("%w (simulated)", c.conflict)
		}
	}
	err := effect()
	if w.Tracing {
		answer := ""
		if err != nil {
			answer = ": " + err.Error()
		}
		w.Log("%s %s%s", p.Name, what(), answer)
	}
	return err
}

// latency decides the latency of a call.
func (w *World) latency(inv *Invocation, who string) time.Duration {
	switch at := w.Choices.At(choice.OfDelivery, who); {
	case w.hitFor(fault.OutOfTime, who):
		inv.Slowed, inv.SlowCall = true, true
		return time.Duration(30+w.Choices.IntN(w.How(fault.OutOfTime), 60)) * time.Second
	case w.hitFor(fault.Slow, who):
		inv.Slowed, inv.SlowCall = true, true
		return time.Duration(w.Choices.IntN(w.How(fault.Slow), 20)) * time.Second
	case w.Choices.OneIn(at, 4):
		return w.pace + time.Duration(w.Choices.IntN(at, 50))*time.Millisecond
	}
	return w.pace
}

// landLater makes a call take effect some time later. A request that was sent reaches its
// service, or is lost, within seconds of the death of its process. While the process lives,
// its client and the network may delay it for longer, up to five minutes: then the signature
// of the request has expired, and the service refuses it (IAM User Guide, "Elements of an
// AWS API request signature"). behind: it should land after its messages were redelivered.
func (w *World) landLater(p *Process, what func() string, effect func() error, dies, behind bool) {
	d := time.Duration(w.Choices.IntN(w.How(fault.LandsLate), 20_000)) * time.Millisecond
	switch n := w.Choices.IntN(w.How(fault.LandsLate), 4); {
	case dies:
		d /= 2
	default:
		d *= [...]time.Duration{1, 1, 3, 15}[n]
		if behind {
			d = min(d+150*time.Second, latest)
		}
	}
	text := ""
	if w.Tracing {
		text = what()
	}
	w.Clock.AfterFunc(d, func() {
		err := effect()
		w.Log("%s %s: lands late: %v", p.Name, text, err)
	})
}

// latest is the longest time between sending a request and its effect.
const latest = 5 * time.Minute
