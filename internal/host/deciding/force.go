package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
)

// forced is a forced termination. It is committed without running any code.
type forced struct {
	// why it is forced (history.ForcedByLimit, …), and who requested it.
	why, actor string
	failure    history.Failure
	// looping: the instance runs in a loop without a pause.
	looping bool
}

// recordedAhead applies the verdicts on arrivals that are recorded before the forced termination,
// without running the code. If one of their messages is redelivered, it finds this commit, which is
// then dispatched again.
func (t *Turn) recordedAhead(*Plan) error {
	out, err := t.outcome()
	if err != nil {
		return err
	}
	t.round.take(out.Verdicts)
	t.round.draft, t.round.then = newDraft(out), (*Turn).forceEnd
	return nil
}

// forceEnd ends the execution after the events that the draft already has.
func (t *Turn) forceEnd(*Plan) error {
	r := t.round
	if r.end.failure.Source == "" && r.end.why == history.ForcedByLimit {
		r.end.failure.Source = t.Running.Started().Name
	}
	out, err := t.Running.X.ForceEnd(t.Now.At.UnixMilli(), r.end.why, r.end.actor, r.end.failure)
	if err != nil {
		return err
	}
	if r.draft == nil {
		r.draft = newDraft(out)
	} else {
		r.draft.proceed(&out)
	}
	// A terminate records no event of its own: when it is redelivered it resends the last turn, which
	// is this one. Any other forced termination belongs to the turn that it ends. The turn's message
	// may be recorded in an earlier commit (of inline activities), and resends that commit and all
	// that follow it.
	r.draft.messaged = r.draft.messaged || r.end.why == history.ForcedByOperator
	r.parks, r.blocked, r.wakes.try, r.then = true, nil, "", (*Turn).commit
	return nil
}

// forced settles the messages of a forced termination.
func (t *Turn) forced(p *Plan) error {
	if t.round.end.looping {
		p.report(counted(host.CountLooping, "failed"))
	}
	if t.passed.forced {
		t.round.decided = nil // All messages are settled in the same way.
	}
	t.round.then = (*Turn).settle
	return nil
}

// terminate ends the execution without running any code.
func (t *Turn) terminate(p *Plan, m *inbox.Message) error {
	switch n := m.Item.ExecutionID; {
	case t.foreignParent(m):
		t.ofAnotherParent(p, m)
	case t.Running.Creating:
		// The start among the messages comes after the terminate.
		t.early(p, m)
	case n != 0 && n != t.Running.Execution, t.Running.X.Ended():
		p.settle(m, "late")
	default:
		reason := m.Item.Reason
		if reason == "" {
			reason = "terminated"
		}
		t.round = &round{then: (*Turn).forceEnd, decided: []judged{{m, engine.Verdict{Kind: engine.Recorded}}}, end: &forced{
			why: history.ForcedByOperator, actor: m.Item.Actor, failure: history.Failure{Kind: history.FailureTerminated, Message: reason}}}
	}
	return nil
}

// overHistory returns the forced termination of an execution whose history has reached its limit of
// events or bytes, if an arrival that would be recorded or a wake would extend it. Duplicates never
// end an execution.
func (t *Turn) overHistory(r *round) *forced {
	most, x := t.By.Settings.Limits, t.Running.X
	long, large := most.Events >= 0 && x.LastEventID() >= int64(most.Events), most.Bytes >= 0 && x.HistoryBytes() >= most.Bytes
	if !long && !large || t.Running.Creating || !r.wakes.run && !t.news(r.pending) {
		return nil
	}
	text := fmt.Sprintf("has %d events, the limit is %d (MaxHistory): ", x.LastEventID(), most.Events)
	if large {
		text = fmt.Sprintf("has about %d bytes, the limit is %d (MaxHistoryBytes): pass references to large values, and ", x.HistoryBytes(), most.Bytes)
	}
	return t.overLimit(fmt.Sprintf("the history of instance %q execution %d %scontinue as new earlier, when Info(ctx).ContinueAsNewSuggested is set",
		t.View.Instance, t.Running.Execution, text))
}

// overLoop returns the forced termination of an instance that a message would continue beyond the
// depth of loops, if Settings.Loop says that loops fail.
func (t *Turn) overLoop(r *round) *forced {
	s := &t.By.Settings.Loop
	if !s.Fail || !(r.wakes.run && s.Beyond(t.Chain.Depth)) && !t.deeper(r.pending) {
		return nil
	}
	end := t.overLimit(fmt.Sprintf(
		"instance %q execution %d loops without a pause: more than %d turns in a row were caused by events, starts or continue-as-new, without a timer or an activity that takes a second (Settings.Loop)",
		t.View.Instance, t.Running.Execution, s.Depth))
	end.looping = true
	return end
}

// deeper reports whether an arrival that would be recorded exceeds the depth of loops.
func (t *Turn) deeper(arrivals []*inbox.Message) bool {
	for _, m := range arrivals {
		if t.By.Settings.Loop.Beyond(m.Item.Depth) && t.verdict(m).Kind == engine.Recorded {
			return true
		}
	}
	return false
}

func (t *Turn) overLimit(message string) *forced {
	return &forced{why: history.ForcedByLimit, failure: history.Failure{Kind: history.FailureLimit, Message: message}}
}
