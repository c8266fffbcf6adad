package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"math"
)

// round handles messages that are recorded together, and then everything that follows from them in
// this invocation: the results of inline activities, and further executions after a
// continue-as-new. Each commit is dispatched before the next is made. The messages are settled when
// all of that is done, so that an interrupted round is redelivered.
type round struct {
	messages []*inbox.Message
	wakes    wakes
	// pending are arrivals that the engine has not judged yet, decided those that it has.
	pending []*inbox.Message
	decided []judged
	// parks: arrivals are recorded without running code.
	parks bool
	// blocked is the blocked goroutine in the code of the instance; nil if there is none.
	blocked *engine.Blocked
	// end is a forced termination of the execution; nil for none.
	end *forced
	// draft of the next commit, or the last one.
	draft  *draft
	owed   owed
	came   came
	inline inlineResults
	// then is the next decision.
	then func(*Turn, *Plan) error
}

// owed has the operations that were cancelled by runs which recorded no event. The next commit
// stops them, because only stored cancellations can be sent again.
type owed struct {
	cancelled []int64
	reasons   map[int64]string
}

// came is the result of the last plan.
type came struct {
	out    engine.Turn
	err    error
	result history.Event
}

// Ran records the result of a run.
func (t *Turn) Ran(out engine.Turn, err error) { t.round.came.out, t.round.came.err = out, err }

// Answered records the result of an inline activity.
func (t *Turn) Answered(result history.Event) { t.round.came.result = result }

// proceed continues the current round.
func (t *Turn) proceed(p *Plan) error {
	for t.round != nil && p.empty() {
		if err := t.round.then(t, p); err != nil {
			return err
		}
	}
	return nil
}

// begin starts to run the arrivals of a round.
func (t *Turn) begin(p *Plan) error {
	r := t.round
	switch {
	case len(r.pending) == 0 && !r.wakes.run:
		r.then = (*Turn).close
		return nil
	case t.Running.X.Ended():
		r.decided, r.then = t.judge(r.pending), (*Turn).settle
		return nil
	case t.swept() && !r.wakes.run && !t.news(r.pending):
		// The problem must still be in the record.
		if err := t.currentRecord(); err != nil {
			return err
		}
		r.decided, r.then = t.judge(r.pending), (*Turn).settle
		return nil
	}
	t.Keep = false
	if r.end = t.overHistory(r); r.end == nil {
		r.end = t.overLoop(r)
	}
	if r.end != nil {
		t.run(p, true)
		r.then = (*Turn).recordedAhead
		return nil
	}
	if r.blocked = t.Now.Blocked; r.blocked != nil && !t.Running.Creating {
		if err := t.described(); err != nil {
			return err
		}
	} else {
		r.blocked = nil
	}
	r.parks = t.mustPark(r.wakes) || r.blocked != nil
	// A start that may end its process is recorded, together with the mark, before it is run. The events
	// that a redrive copies are always recorded first.
	if first := r.parks || t.Running.copies() || t.Running.Creating && t.Group.Suspect != ""; first {
		t.run(p, true)
		r.then = (*Turn).recorded
		return nil
	}
	t.run(p, false)
	r.then = (*Turn).ran
	return nil
}

// run runs the pending arrivals, or only records them.
func (t *Turn) run(p *Plan, park bool) {
	in := &Run{Park: park}
	for _, m := range t.round.pending {
		in.Arrivals = append(in.Arrivals, t.arrival(m))
	}
	p.Run = in
}

// ran takes the verdicts of a run of the code.
func (t *Turn) ran(*Plan) error { return t.drafted(ran) }

// recorded takes the verdicts on arrivals that were only recorded.
func (t *Turn) recorded(*Plan) error { return t.drafted(recorded) }

func (t *Turn) drafted(l leaves) error {
	out, err := t.outcome()
	if err != nil {
		return err
	}
	r := t.round
	r.take(out.Verdicts)
	r.draft = newDraft(out)
	r.draft.leaves, r.then = l, (*Turn).weigh
	return nil
}

// outcome returns the result of a run. A problem that a warm execution finds is used only after a
// commit has shown that the execution is not stale; before that, the execution is rebuilt from the
// stored history.
func (t *Turn) outcome() (engine.Turn, error) {
	c := &t.round.came
	if !t.Running.Confirmed && t.Running.Warm && (c.err != nil || c.out.Stuck != nil && c.out.Stuck.Kind == engine.StuckNondeterminism) {
		return engine.Turn{}, ErrStale
	}
	if c.err == nil && c.out.Stuck != nil && c.out.Stuck.Patch != "" {
		return c.out, t.leaveToAnotherBuild(c.out.Stuck)
	}
	return c.out, c.err
}

// take takes the verdicts on the pending arrivals.
func (r *round) take(verdicts []engine.Verdict) {
	var pending []*inbox.Message
	for i, m := range r.pending {
		if i >= len(verdicts) || verdicts[i].Kind == engine.Pending {
			pending = append(pending, m)
			continue
		}
		r.decided = append(r.decided, judged{m, verdicts[i]})
	}
	r.pending = pending
}

// weigh determines the next step after a run: the commit of the draft or, if nothing is left to
// commit, an inline activity.
func (t *Turn) weigh(p *Plan) error {
	r, d := t.round, t.round.draft
	if t.Running.Warm && !t.Running.Confirmed && len(d.Events) == 0 && len(r.decided) > 0 && d.State != engine.RunInline {
		// The decision of a warm execution about a message is used only after a commit has shown that
		// the execution is not stale. This turn has nothing to commit.
		return ErrStale
	}
	r.then = (*Turn).weighed
	if d.State != engine.RunInline || d.leaves == recorded {
		return nil
	}
	switch {
	case !t.Now.has(t.By.Settings.Turn.InlineTime):
		d.leaves = short
		if len(r.pending) > 0 {
			// Another invocation continues the turn, with the arrivals before which the run stopped.
			t.run(p, true)
			r.then = (*Turn).parked
		}
	case len(d.Events) == 0:
		r.inline, r.then = inlineResults{most: math.MaxInt}, (*Turn).call
	}
	return nil
}

// parked takes the verdicts on arrivals that were recorded after the draft.
func (t *Turn) parked(*Plan) error {
	out, err := t.outcome()
	if err != nil {
		return err
	}
	r, d := t.round, t.round.draft
	if len(d.Events) == 0 {
		d.messaged = len(out.Events) > 0
	}
	d.append(&out)
	r.take(out.Verdicts)
	r.then = (*Turn).weighed
	return nil
}

// weighed adds to the draft the cancellations that earlier runs owe.
func (t *Turn) weighed(*Plan) error {
	r, d := t.round, t.round.draft
	r.owed.cancelled, d.Cancelled = append(r.owed.cancelled, d.Cancelled...), nil
	r.owed.reasons, d.Reasons = engine.ReasonsBoth(r.owed.reasons, d.Reasons), nil
	if len(d.Events) > 0 {
		d.Cancelled, d.Reasons, r.owed = r.owed.cancelled, r.owed.reasons, owed{}
	}
	r.then = (*Turn).commit
	return nil
}

// committed determines the next step after a commit that was made and dispatched.
func (t *Turn) committed(p *Plan) error {
	r, d := t.round, t.round.draft
	cut := d.leaves == short
	if len(d.Next) > 0 {
		t.passed.continued++
		cut = t.passed.continued >= t.By.Settings.Turn.Executions || t.By.Settings.Loop.Beyond(t.Chain.Depth) || !t.Now.has(t.By.Settings.Turn.MinRemaining)
	}
	switch next := follow(d, r.parks); {
	case next == none:
		t.Keep = !r.parks && (d.State == engine.Waiting || d.State == engine.NotStarted || d.State == engine.Suspended) && t.mayKeep()
		r.then = (*Turn).settle
	case cut:
		p.Send.Continue = t.continueLater()
		t.Keep = t.mayKeep()
		r.then = (*Turn).settle
	case next == inline:
		r.draft = newDraft(engine.Turn{State: engine.RunInline, Inline: d.Inline, States: d.States})
		r.then = (*Turn).weigh
	default:
		t.run(p, false)
		r.then = (*Turn).ran
	}
	return nil
}

// following is the next step after a commit.
type following uint8

const (
	// none: the instance waits, is suspended, has ended, or cannot continue.
	none following = iota
	// another run: of recorded arrivals, or of the next execution.
	another
	// inline: an inline activity is all that is left to do.
	inline
)

// follow returns the next step after the commit of a draft. park: no code is run.
func follow(d *draft, park bool) following {
	switch {
	case len(d.Next) > 0:
		return another
	case d.State == engine.Ended, d.State == engine.Stuck, d.State == engine.Suspended, park:
		return none
	case d.leaves == recorded:
		return another
	case d.State == engine.RunInline:
		return inline
	}
	return none
}

// mayKeep reports whether the execution may be cached. It may not if it has cancellations that no
// commit has yet, which a cold run finds again, or a problem that another process is to clear.
func (t *Turn) mayKeep() bool {
	return len(t.round.owed.cancelled) == 0 && t.View.Problem() == nil
}

// settle settles each message according to its verdict.
func (t *Turn) settle(p *Plan) error {
	r := t.round
	for len(r.decided) > 0 {
		j := r.decided[0]
		sends := j.Kind == engine.Exists || j.Kind == engine.Early
		if sends && !p.empty() {
			return nil
		}
		if err := t.settleOne(p, j); err != nil {
			return err
		}
		r.decided = r.decided[1:]
		if sends {
			return nil
		}
	}
	r.then = (*Turn).close
	return nil
}

func (t *Turn) settleOne(p *Plan, j judged) error {
	switch j.Kind {
	case engine.Misaddressed, engine.Forged:
		t.refuse(p, j.Message, j.Verdict)
	case engine.Exists:
		return t.exists(p, j.Message)
	case engine.Early:
		t.early(p, j.Message)
	default:
		p.settle(j.Message, j.Verdict.Kind.String())
	}
	return nil
}

// close ends a round and settles its wakes.
func (t *Turn) close(p *Plan) error {
	for _, m := range t.round.wakes.messages {
		if m.State == inbox.Unsettled {
			p.settle(m, "wake")
		}
	}
	t.round = nil
	return nil
}
