package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
)

// forced returns a forced termination in the form in which it is recorded. It is committed without
// running any code.
func forced(why, actor string, f history.Failure) *history.Event {
	return &history.Event{Kind: history.OrchestrationFailed, Forced: why, Actor: actor, Failure: &f}
}

func overLimit(kind, message string) *history.Event {
	return forced(history.ForcedByLimit, "", history.Failure{Kind: kind, Message: message})
}

// failing reports whether a termination fails the instance because no commit can hold its turn.
func failing(end *history.Event) bool {
	return end != nil && end.Failure.Kind == history.FailureTooLarge
}

// forceEnd ends the execution after the events that the draft already has; the draft is nil for none.
func forceEnd(k *Known, end *history.Event, d *draft) (*draft, error) {
	f := *end.Failure
	if f.Source == "" && end.Forced == history.ForcedByLimit {
		f.Source = k.Running.Started().Name
	}
	out, err := k.Running.X.ForceEnd(k.Now.At.UnixMilli(), end.Forced, end.Actor, f)
	if err != nil {
		return nil, err
	}
	if d == nil {
		d = newDraft(out, nil)
	} else {
		d.proceed(&out)
	}
	d.leaves = parked
	return d, nil
}

// overHistory returns the forced termination of an execution whose history has reached its limit of
// events or bytes, if an arrival that would be recorded or a wake would extend it. Duplicates never
// end an execution.
func overHistory(k *Known, extends func() bool) *history.Event {
	most, x := k.By.Settings.Limits, k.Running.X
	long, large := most.Events >= 0 && x.LastEventID() >= int64(most.Events), most.Bytes >= 0 && x.HistoryBytes() >= most.Bytes
	if !long && !large || k.Running.Creating() || !extends() {
		return nil
	}
	text := fmt.Sprintf("has %d events; the limit is %d (MaxHistory): ", x.LastEventID(), most.Events)
	if large {
		text = fmt.Sprintf("has about %d bytes; the limit is %d (MaxHistoryBytes): pass references to large values, and ", x.HistoryBytes(), most.Bytes)
	}
	return overLimit(history.FailureLimit, fmt.Sprintf("the history of instance %q execution %d %scontinue as new earlier, when Info(ctx).ContinueAsNewSuggested is set",
		k.View.Instance, k.Running.Execution, text))
}

// overLoop returns the forced termination of an instance that a message would continue beyond the
// depth of loops, if Settings.Loop makes loops fail.
func overLoop(k *Known, continues func() bool) *history.Event {
	s := &k.By.Settings.Loop
	if !s.Fail || !continues() {
		return nil
	}
	return overLimit(history.FailureLimit, fmt.Sprintf(
		"instance %q execution %d loops without a pause: more than %d turns in a row were caused by events, starts or continue-as-new, without a timer or an activity that takes a second (Settings.Loop)",
		k.View.Instance, k.Running.Execution, s.Depth))
}
