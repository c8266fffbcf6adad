package turnstiletest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// History is the list of events of one execution.
type History []history.Event

// String returns the history in one line, one word per event:
//
//	Started Act(Charge) Done←2 Timer(1h0m0s) Fired←4 Completed
//
// Act(A) is a scheduled activity; Done←2 and Failed(kind)←2 are the completion of event 2. Timer(d)
// is a timer; Fired←n is its end. Sub(E) is a wait for an event, Ev(E) the event, and Rejected(E)←n
// its rejection by a wait. Child(O) is a sub-orchestration, Detached(O) a detached orchestration.
// Now, UUID, Side(name), Annotate, Patch(id), Raise(E), Cancel(instance) and Terminate(instance)
// are recorded calls. The other words are Completed, Failed(kind), ContinuedAsNew, CancelRequested,
// Suspended, Resumed and Redriven.
func (h History) String() string {
	words := make([]string, len(h))
	for i := range h {
		words[i] = word(&h[i])
	}
	return strings.Join(words, " ")
}

func word(e *history.Event) string {
	switch e.Kind {
	case history.OrchestrationStarted:
		return "Started"
	case history.ActivityScheduled:
		return "Act(" + e.Name + ")"
	case history.TimerCreated:
		return "Timer(" + (time.Duration(e.DurationMS) * time.Millisecond).String() + ")"
	case history.ExternalSubscribed:
		return "Sub(" + e.Name + ")"
	case history.ExternalEvent:
		return "Ev(" + e.Name + ")"
	case history.SubOrchestrationScheduled:
		return "Child(" + e.Name + ")"
	case history.OrchestrationChained:
		return "Detached(" + e.Name + ")"
	case history.ActivityCompleted, history.SubOrchestrationCompleted:
		return fmt.Sprintf("Done←%d", e.SourceEventID)
	case history.ActivityFailed, history.SubOrchestrationFailed:
		return fmt.Sprintf("Failed(%s)←%d", failureKind(e), e.SourceEventID)
	case history.TimerFired:
		return fmt.Sprintf("Fired←%d", e.SourceEventID)
	case history.OrchestrationCompleted:
		return "Completed"
	case history.OrchestrationFailed:
		return "Failed(" + failureKind(e) + ")"
	case history.OrchestrationContinuedAsNew:
		return "ContinuedAsNew"
	case history.OrchestrationCancelRequested:
		return "CancelRequested"
	case history.OrchestrationSuspended:
		return "Suspended"
	case history.OrchestrationResumed:
		return "Resumed"
	case history.OrchestrationRedriven:
		return "Redriven"
	case history.ExternalRejected:
		return fmt.Sprintf("Rejected(%s)←%d", e.Name, e.SourceEventID)
	case history.SystemCall:
		return systemCall(e)
	}
	return e.Kind.String()
}

func systemCall(e *history.Event) string {
	switch e.Op {
	case history.OpNow:
		return "Now"
	case history.OpGUID:
		return "UUID"
	case history.OpSideEffect:
		return "Side(" + e.Name + ")"
	case history.OpTrace:
		return "Annotate"
	case history.OpRaiseEvent:
		return "Raise(" + e.Name + ")"
	case history.OpCancelInstance:
		if e.Forced == history.ForcedByOperator {
			return "Terminate(" + e.Instance + ")"
		}
		return "Cancel(" + e.Instance + ")"
	case history.OpPatch:
		return "Patch(" + e.Name + ")"
	}
	return e.Op
}

func failureKind(e *history.Event) string {
	if e.Failure == nil {
		return "unknown"
	}
	return e.Failure.Kind
}

// History returns the recorded events of the instance's current execution; empty if it has no
// record yet. Payloads are decoded. If the current codecs cannot decode a payload, the event's
// Codec names the codecs that encoded it.
func (r *Run[Out]) History() History {
	r.env.t.Helper()
	return r.env.history(r.Instance, 0)
}

// Execution returns the recorded events of execution n of the instance, from 1. An instance has
// several executions if it continued as new.
func (r *Run[Out]) Execution(n int64) History {
	r.env.t.Helper()
	return r.env.history(r.Instance, n)
}

// history reads an execution, 0 for the current one. It decodes payloads as far as the current
// codecs can.
func (e *Env) history(instance string, execution int64) History {
	e.t.Helper()
	if execution == 0 {
		execution = e.execution(instance)
	}
	return e.opts.codecs.OpenWhatItCan(instance, execution, e.stored(instance, execution))
}

// execution returns the number of the instance's current execution; 1 while it
// has no record.
func (e *Env) execution(instance string) int64 {
	r, err := e.store.Describe(context.Background(), instance)
	if err != nil {
		return 1
	}
	return r.ExecutionID
}

// stored reads an execution as it is stored.
func (e *Env) stored(instance string, execution int64) History {
	e.t.Helper()
	var events History
	turns := e.turns(instance, execution)
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	return events
}

// turns reads an execution as it was committed.
func (e *Env) turns(instance string, execution int64) []store.Turn {
	e.t.Helper()
	turns, err := e.store.Read(context.Background(), instance, execution, 1)
	if err != nil {
		e.t.Fatalf("turnstiletest: reading the history of instance %q: %v", instance, err)
	}
	return turns
}

// AssertHistory fails the test, without ending it, if the history of the instance's current
// execution differs from want, in the words of [History.String].
func (r *Run[Out]) AssertHistory(want string) {
	r.env.t.Helper()
	want = strings.Join(strings.Fields(want), " ")
	if got := r.History().String(); got != want {
		r.env.t.Errorf("the history of instance %q is\n  %s\nwant\n  %s\n%s", r.Instance, got, want, firstDifference(got, want))
	}
}

// firstDifference describes the first difference of two histories.
func firstDifference(got, want string) string {
	g, w := strings.Fields(got), strings.Fields(want)
	for i := range max(len(g), len(w)) {
		has, wants := "nothing", "nothing"
		if i < len(g) {
			has = g[i]
		}
		if i < len(w) {
			wants = w[i]
		}
		if has != wants {
			return fmt.Sprintf("they differ from event %d on: it is %s, want %s", i+1, has, wants)
		}
	}
	return "they are the same"
}
