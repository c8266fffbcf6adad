package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// Results of inline activities share a draft's commit, up to its batch. Those before
// the last are visited by the code at once. The last is not: a result is committed before
// the code goes on, so that what the code has seen and acted on outside of the turn never
// runs again.

// call has an inline activity run. An instance that was read without its record may be one
// whose turn killed its process, which only a wake may run: so the record is looked at.
func (t *Turn) call(p *Plan) error {
	if !t.Running.Creating && !t.Running.Warm {
		now, err := t.learn()
		if err != nil {
			return err
		}
		if r := t.View.Record; now && (r == nil || r.ExecutionID != t.Running.Execution || r.Problem != nil && r.Problem.Kind == store.ProblemKilled) {
			return ErrStale
		}
	}
	r, d := t.round, t.round.draft
	p.Inline = &d.Inline[0]
	d.inline = true
	r.calls++
	r.then = (*Turn).called
	return nil
}

// called has the code run on the result, and on what waits after it; or has it recorded,
// if it is the last of its commit.
func (t *Turn) called(p *Plan) error {
	r := t.round
	last := r.calls >= batchOf(&r.draft.Inline[0])
	if last {
		p.Run = &Run{Park: true}
	} else {
		t.run(p, false)
	}
	p.Run.Arrivals = append([]engine.Arrival{{Event: r.came.result, Inline: true}}, p.Run.Arrivals...)
	r.then = (*Turn).visited
	return nil
}

// visited takes in what a result came to.
func (t *Turn) visited(*Plan) error {
	r, d := t.round, t.round.draft
	out, err := t.outcome()
	if err != nil {
		return err
	}
	call := &d.Inline[0]
	if len(out.Verdicts) == 0 || out.Verdicts[0].Kind != engine.Recorded {
		return fmt.Errorf("host: result of inline activity %d of instance %q execution %d was not recorded", call.EventID, t.View.Instance, t.Running.Execution)
	}
	if r.calls >= batchOf(call) {
		d.append(&out)
		d.leaves, r.then = answered, (*Turn).weighed
		return nil
	}
	r.take(out.Verdicts[1:])
	d.goOn(&out)
	r.then = (*Turn).call
	if d.State != engine.RunInline || d.dispatches() || r.calls >= batchOf(&d.Inline[0]) || !t.Now.has(t.By.Settings.Turn.InlineTime) {
		r.then = (*Turn).weighed
	}
	return nil
}

// batchOf returns how many results may share a commit with this one.
func batchOf(call *engine.InlineCall) int {
	if call.Retry == nil {
		return 0
	}
	return call.Retry.Batch
}
