package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"math"
)

// round takes messages that become history together, and then all that follows from them
// in this invocation: the results of inline activities, and further executions of a
// continue-as-new. Each commit is dispatched before the next is made. The messages are
// settled when all of that is done; so whatever is interrupted brings them back.
type round struct {
	messages []*inbox.Message
	wakes    wakes
	// pending are arrivals that the engine has not looked at yet, decided those that it
	// has.
	pending []*inbox.Message
	decided []judged
	// parks: no code is run.
	parks bool
	// blocked is what blocks in the code of the instance, nil if nothing does.
	blocked *engine.Blocked
	// end that is imposed on the execution; nil for none.
	end *imposed
	// draft of the next commit, or the last one.
	draft  *draft
	owed   owed
	came   came
	inline inlineResults
	// then is what is decided next.
	then func(*Turn, *Plan) error
}

// owed is what runs cancelled that left no event. It is stopped by the next commit: only
// what is stored can be sent again.
type owed struct {
	cancelled []int64
	reasons   map[int64]string
}

// came is what came of the last plan.
type came struct {
	out    engine.Turn
	err    error
	result history.Event
}

// Ran takes in what a run came to.
func (t *Turn) Ran(out engine.Turn, err error) { t.round.came.out, t.round.came.err = out, err }

// Answered takes in the result of an inline activity.
func (t *Turn) Answered(result history.Event) { t.round.came.result = result }

// goOn goes on with the round that is under way.
func (t *Turn) goOn(p *Plan) error {
	for t.round != nil && p.empty() {
		if err := t.round.then(t, p); err != nil {
			return err
		}
	}
	return nil
}

// begin begins to run the arrivals of a round.
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
		// The mark must still be there.
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
	// A start that may kill its process is recorded before it is run, with the mark
	// beside it.
	// One that goes on by a redrive is run at once: were its process killed, the instance
	// would be as it was.
	if first := r.parks || t.Running.Creating && t.Running.Redriven == nil && t.Group.Suspect != ""; first {
		t.run(p, true)
		r.then = (*Turn).recorded
		return nil
	}
	t.run(p, false)
	r.then = (*Turn).ran
	return nil
}

// run has what is pending run, or recorded only.
func (t *Turn) run(p *Plan, park bool) {
	in := &Run{Park: park}
	for _, m := range t.round.pending {
		in.Arrivals = append(in.Arrivals, t.arrival(m))
	}
	p.Run = in
}

// ran takes the verdicts of a run of the code.
func (t *Turn) ran(p *Plan) error {
	if refused, err := t.disagrees(p); refused || err != nil {
		return err
	}
	return t.drafted(ran)
}

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

// outcome is what a run came to. A problem that a warm execution finds counts after a commit
// has shown that it is not stale. Before, the execution is rebuilt from the stored history.
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

// weigh finds out what follows a run: the commit of the draft, or, where nothing is left to
// commit, an inline activity.
func (t *Turn) weigh(p *Plan) error {
	r, d := t.round, t.round.draft
	if t.Running.Warm && !t.Running.Confirmed && len(d.Events) == 0 && len(r.decided) > 0 && d.State != engine.RunInline {
		// The verdict of a warm execution on a message counts after its
		// commit has shown that the execution is not stale. Here there is
		// none.
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
			// The turn goes on in another invocation, with the arrivals that the run
			// stopped before.
			t.run(p, true)
			r.then = (*Turn).parked
		}
	case len(d.Events) == 0:
		r.inline, r.then = inlineResults{most: math.MaxInt}, (*Turn).call
	}
	return nil
}

// parked takes the verdicts on what was recorded after the draft.
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

// weighed gives the draft what earlier ones owe.
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

// committed finds out what follows a commit that was made and dispatched.
func (t *Turn) committed(p *Plan) error {
	r, d := t.round, t.round.draft
	cut := d.leaves == short
	if len(d.Next) > 0 {
		t.passed.continued++
		cut = t.passed.continued >= t.By.Settings.Turn.Executions || t.By.Settings.Loop.Beyond(t.Chain.Depth) || !t.Now.has(t.By.Settings.Turn.Time)
	}
	switch next := follow(d, r.parks); {
	case next == none:
		t.Keep = !r.parks && (d.State == engine.Waiting || d.State == engine.NotStarted || d.State == engine.Suspended) && t.mayKeep()
		r.then = (*Turn).settle
	case cut:
		p.Send.GoOn = t.goOnLater()
		t.Keep = t.mayKeep()
		r.then = (*Turn).settle
	case next == inline:
		r.draft = newDraft(engine.Turn{State: engine.RunInline, Inline: d.Inline, CustomStatus: d.CustomStatus})
		r.then = (*Turn).weigh
	default:
		t.run(p, false)
		r.then = (*Turn).ran
	}
	return nil
}

// following is what follows a commit.
type following uint8

const (
	// none: the instance waits, is suspended, has ended, or cannot go on.
	none following = iota
	// another run: of what is recorded, or of the next execution.
	another
	// inline: an inline activity, which alone is left to do.
	inline
)

// follow says what follows the commit of a draft. park: no code is run.
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

// mayKeep reports whether the execution may go into the cache: not with cancels
// that no commit holds yet, which a cold run finds again, nor with a mark that
// another is to clear.
func (t *Turn) mayKeep() bool {
	return len(t.round.owed.cancelled) == 0 && t.View.Problem() == nil
}

// settle does with each message what its verdict asks for.
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

// close ends a round: nothing is left of its wakes.
func (t *Turn) close(p *Plan) error {
	for _, m := range t.round.wakes.messages {
		if m.State == inbox.Unsettled {
			p.settle(m, "wake")
		}
	}
	t.round = nil
	return nil
}
