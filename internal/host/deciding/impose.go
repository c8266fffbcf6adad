package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
)

// imposed is an end that the code did not make. It is committed without running any code.
type imposed struct {
	// why it is imposed (history.ImposedLimit, …), and who asked for it.
	why, actor string
	failure    history.Failure
	// looping: the instance goes on without a pause.
	looping bool
}

// recordedAhead takes the verdicts on arrivals that are recorded before the end, without
// running the code: by them a message that comes back finds this commit, and has it
// dispatched again.
func (t *Turn) recordedAhead(*Plan) error {
	out, err := t.outcome()
	if err != nil {
		return err
	}
	t.round.take(out.Verdicts)
	t.round.draft, t.round.then = newDraft(out), (*Turn).impose
	return nil
}

// impose ends the execution after the events that the draft already holds.
func (t *Turn) impose(*Plan) error {
	r := t.round
	if r.end.failure.Source == "" && r.end.why == history.ImposedLimit {
		r.end.failure.Source = t.Running.Started().Name
	}
	out, err := t.Running.X.Impose(t.Now.At.UnixMilli(), r.end.why, r.end.actor, r.end.failure)
	if err != nil {
		return err
	}
	if r.draft == nil {
		r.draft = newDraft(out)
	} else {
		r.draft.goOn(&out)
	}
	// A terminate has no fact: when it comes back it sends the last turn, which is this one.
	// Any other end belongs to the turn that it ends, whose message may have its fact in an
	// earlier commit (of inline activities): it sends that and all that follows it.
	r.draft.messaged = r.draft.messaged || r.end.why == history.ImposedTerminated
	r.parks, r.blocked, r.wakes.try, r.then = true, nil, "", (*Turn).commit
	return nil
}

// imposed settles what an imposed end was for.
func (t *Turn) imposed(p *Plan) error {
	if t.round.end.looping {
		p.tell(counted(host.CountLooping, "failed"))
	}
	if t.passed.imposed {
		t.round.decided = nil // All messages are settled alike.
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
		// The start that is among the messages follows it.
		t.early(p, m)
	case n != 0 && n != t.Running.Execution, t.Running.X.Ended():
		p.settle(m, "late")
	default:
		reason := m.Item.Reason
		if reason == "" {
			reason = "terminated"
		}
		t.round = &round{then: (*Turn).impose, decided: []judged{{m, engine.Verdict{Kind: engine.Recorded}}}, end: &imposed{
			why: history.ImposedTerminated, actor: m.Item.Actor, failure: history.Failure{Kind: history.FailureTerminated, Message: reason}}}
	}
	return nil
}

// overHistory returns the end of an execution that has as many events, or bytes in them,
// as it may, where something would take it on: an arrival that would be recorded, or a
// wake. Duplicates end nothing.
func (t *Turn) overHistory(r *round) *imposed {
	most, x := t.By.Settings.Limits, t.Running.X
	long, large := most.Events >= 0 && x.LastEventID() >= int64(most.Events), most.Bytes >= 0 && x.HistoryBytes() >= most.Bytes
	if !long && !large || t.Running.Creating || !r.wakes.run && !t.news(r.pending) {
		return nil
	}
	text := fmt.Sprintf("has %d events, the limit is %d (MaxHistory): ", x.LastEventID(), most.Events)
	if large {
		text = fmt.Sprintf("holds about %d bytes, the limit is %d (MaxHistoryBytes): pass references to large values, and ", x.HistoryBytes(), most.Bytes)
	}
	return t.overLimit(fmt.Sprintf("the history of instance %q execution %d %scontinue as new before, where Info(ctx).ContinueAsNewSuggested says so",
		t.View.Instance, t.Running.Execution, text))
}

// overLoop returns the end of an instance that a message would take on which goes beyond
// the depth of loops, where that fails it.
func (t *Turn) overLoop(r *round) *imposed {
	s := &t.By.Settings.Loop
	if !s.Fail || !(r.wakes.run && s.Beyond(t.Chain.Depth)) && !t.deeper(r.pending) {
		return nil
	}
	end := t.overLimit(fmt.Sprintf(
		"instance %q execution %d goes on without a pause: more than %d turns in a row have followed from each other, by events, starts or continue-as-new, without a timer or the result of a queued activity (Settings.Loop)",
		t.View.Instance, t.Running.Execution, s.Depth))
	end.looping = true
	return end
}

// deeper reports whether an arrival that would be recorded goes beyond the depth of loops.
func (t *Turn) deeper(arrivals []*inbox.Message) bool {
	for _, m := range arrivals {
		if t.By.Settings.Loop.Beyond(m.Item.Depth) && t.verdict(m).Kind == engine.Recorded {
			return true
		}
	}
	return false
}

func (t *Turn) overLimit(message string) *imposed {
	return &imposed{why: history.ImposedLimit, failure: history.Failure{Kind: history.FailureLimit, Message: message}}
}
