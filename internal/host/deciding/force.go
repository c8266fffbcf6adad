package deciding

import (
	"cmp"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
)

// forced returns a forced termination, as it is to be recorded. It is committed without running any
// code.
func forced(why, actor string, f history.Failure) *history.Event {
	return &history.Event{Kind: history.OrchestrationFailed, Forced: why, Actor: actor, Failure: &f}
}

func overLimit(kind, message string) *history.Event {
	return forced(history.ForcedByLimit, "", history.Failure{Kind: kind, Message: message})
}

// forceEnd ends the execution after the events that the draft already has.
func (r *round) forceEnd() error {
	k, f := r.k, r.end.Failure
	if f.Source == "" && r.end.Forced == history.ForcedByLimit {
		f.Source = k.Running.Started().Name
	}
	out, err := k.Running.X.ForceEnd(k.Now.At.UnixMilli(), r.end.Forced, r.end.Actor, *f)
	if err != nil {
		return err
	}
	if r.draft == nil {
		r.draft = newDraft(out, nil)
	} else {
		r.draft.proceed(&out)
	}
	r.draft.leaves = parked
	return nil
}

// ended reports a forced termination, whose messages are settled next.
func (r *round) ended() (p Plan) {
	if r.step = settling; r.fails() {
		r.step = closed // All messages are settled in the same way.
	}
	if r.looping {
		p.Reports = []Report{counted(host.CountLooping, "failed")}
	}
	return p
}

// terminate ends the execution without running any code.
func (r *round) terminate(m *inbox.Message) Plan {
	k := r.k
	switch n := m.Item.ExecutionID; {
	case (absent{k}).foreignParent(m):
		return absent{k}.ofAnotherParent(m)
	case k.Running.Creating():
		// The start among the messages comes after the terminate.
		return absent{k}.early(m)
	case n != 0 && n != k.Running.Execution, k.Running.X.Ended():
		return settle(m, "late")
	}
	r.reset(ending)
	r.draft, r.arrivals = nil, []judged{{m, engine.Verdict{Kind: engine.Recorded}}}
	r.end = forced(history.ForcedByOperator, m.Item.Actor, history.Failure{Kind: history.FailureTerminated, Message: cmp.Or(m.Item.Reason, "terminated")})
	return Plan{}
}

// overHistory returns the forced termination of an execution whose history has reached its limit of
// events or bytes, if an arrival that would be recorded or a wake would extend it. Duplicates never
// end an execution.
func (r *round) overHistory() *history.Event {
	k, x := r.k, r.k.Running.X
	most := k.By.Settings.Limits
	long, large := most.Events >= 0 && x.LastEventID() >= int64(most.Events), most.Bytes >= 0 && x.HistoryBytes() >= most.Bytes
	if !long && !large || k.Running.Creating() || !r.runs() && !r.news(anyDepth) {
		return nil
	}
	text := fmt.Sprintf("has %d events, the limit is %d (MaxHistory): ", x.LastEventID(), most.Events)
	if large {
		text = fmt.Sprintf("has about %d bytes, the limit is %d (MaxHistoryBytes): pass references to large values, and ", x.HistoryBytes(), most.Bytes)
	}
	return overLimit(history.FailureLimit, fmt.Sprintf("the history of instance %q execution %d %scontinue as new earlier, when Info(ctx).ContinueAsNewSuggested is set",
		k.View.Instance, k.Running.Execution, text))
}

// overLoop returns the forced termination of an instance that a message would continue beyond the
// depth of loops, if Settings.Loop says that loops fail.
func (r *round) overLoop() *history.Event {
	k, s := r.k, &r.k.By.Settings.Loop
	if r.looping = s.Fail && (r.runs() && s.Beyond(k.Chain.Depth) || r.news(s.Beyond)); !r.looping {
		return nil
	}
	return overLimit(history.FailureLimit, fmt.Sprintf(
		"instance %q execution %d loops without a pause: more than %d turns in a row were caused by events, starts or continue-as-new, without a timer or an activity that takes a second (Settings.Loop)",
		k.View.Instance, k.Running.Execution, s.Depth))
}
