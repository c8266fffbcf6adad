package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// An inline activity runs after its ActivityScheduled is committed. That commit shows that no other
// process has overtaken this one: the cached state of a process may be ten minutes old, and the
// instance may have been suspended, cancelled or terminated since. It also makes durable the
// activity's event id, from which its idempotency key derives, and its input, which may be random.
// So every process that runs the activity again, including a duplicate invocation, runs the same
// activity under the same key.
//
// The result shares a commit with what the code does next, including the next ActivityScheduled. So
// a chain of n inline activities has n+1 commits.
//
// Activities that allow it (CommitEvery) run before that commit: up to their batch, results and the
// ActivityScheduled events between them share a commit.

// inlineResults counts the results that share a draft's commit: the calls so far, and the most that
// the batches of all of them allow.
type inlineResults struct{ calls, most int }

// call runs an inline activity whose ActivityScheduled is durable, or is in the draft's open batch.
// The record is read first, because the instance may be one whose turn killed its process, which
// only a wake may run. If this turn has committed nothing, because the activity was already open,
// an isolated read checks that no result follows: the cache may be old, and an ordinary read may
// miss what a transaction has just written.
func (t *Turn) call(p *Plan) error {
	if !t.Running.Creating && !(t.Running.Warm && t.Running.Confirmed) {
		now, err := t.learn()
		if err != nil {
			return err
		}
		if r := t.View.Record; now && (r == nil || r.ExecutionID != t.Running.Execution || r.Problem != nil && r.Problem.Kind == store.ProblemKilled) {
			return ErrStale
		}
	}
	if !t.Running.Confirmed {
		if err := t.unmoved(); err != nil {
			return err
		}
	}
	r, d := t.round, t.round.draft
	if !t.Now.has(t.By.Settings.Turn.InlineTime) {
		r.then = (*Turn).weigh
		return nil
	}
	p.Inline = &d.Inline[0]
	d.inline = true
	r.inline.calls++
	r.then = (*Turn).called
	return nil
}

// called runs the code on the result and on the arrivals that wait after it.
func (t *Turn) called(p *Plan) error {
	t.run(p, false)
	p.Run.Arrivals = append([]engine.Arrival{{Event: t.round.came.result, Inline: true}}, p.Run.Arrivals...)
	t.round.then = (*Turn).visited
	return nil
}

// visited takes the outcome of a run on a result. The next inline activity follows at once if all
// activities that share the commit, including it, allow one more result.
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
	r.take(out.Verdicts[1:])
	r.inline.most = min(r.inline.most, batchOf(call))
	d.proceed(&out)
	if r.then = (*Turn).weigh; d.State == engine.RunInline && r.inline.calls < min(r.inline.most, batchOf(&d.Inline[0])) && !d.dispatches() {
		r.then = (*Turn).call
	}
	return nil
}

// Stored returns the last stored event of the execution, while an inline activity runs.
func (t *Turn) Stored() int64 {
	if d := t.round.draft; len(d.Events) > 0 {
		return d.Events[0].EventID - 1
	}
	return t.Running.X.LastEventID()
}

// batchOf returns how many results may share a commit with this one.
func batchOf(call *engine.InlineCall) int {
	if call.Retry == nil {
		return 0
	}
	return call.Retry.Batch
}
