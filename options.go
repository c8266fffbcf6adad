package turnstile

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// OrchestrationOption is an option of [Orchestration.With].
type OrchestrationOption interface {
	applyToOrchestration(*orchestrationOptions)
}

type orchestrationOption func(*orchestrationOptions)

func (f orchestrationOption) applyToOrchestration(o *orchestrationOptions) { f(o) }

type orchestrationOptions struct {
	version       string
	instance      string
	onParentEnd   string
	useExisting   bool
	limitKey      string
	limit         int
	retry         *RetryPolicy
	timeout       time.Duration
	retention     time.Duration
	executions    int
	strict        bool
	failWhenStuck bool
	problems      []error
}

// Version names a version of an orchestration. With Implement it says which one is
// implemented; with Call, Start, StartDetached, ContinueAsNew and client.Start which
// one is asked for. Without it Implement implements the oldest, unnamed version, and the
// others ask for the newest.
//
// Versions are ordered by their dot-separated parts, numbers by value: 1.10 is
// newer than 1.2. An instance stays on the version that it started with.
func Version(version string) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.version = version })
}

// InstanceID chooses the instance id of a child or a detached orchestration: 1
// to 512 bytes of UTF-8 without control characters. Ids of up to 128 ASCII letters, digits and
// punctuation are also their own message group on SQS, which reads well in its
// console.
func InstanceID(id string) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.instance = id })
}

// UseExisting says what happens when the instance id of a child is taken: the
// instance that has it is used, if it is one of the same orchestration, whatever
// its version and input. Without it, and where another orchestration has the id,
// the child fails with a [*ChildError] of kind already_exists. A start by a client
// has the option client.UseExisting.
//
// A parent that found the id taken waits for the outcome of that instance, and
// is told once, however it ends; if it has ended already, at once. Its
// continuing as new goes on being waited for. It is not the parent's own child:
// cancelling, terminating and the end of the parent leave it alone, and so does
// the [ParentClosePolicy]. It records one event, in that instance.
//
// With [Retry] an instance that failed is followed by another, with its own id.
// StartDetached needs no such option: no caller learns that an id is taken.
func UseExisting() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.useExisting = true })
}

// ClosePolicy says what happens to a sub-orchestration that still runs when the
// execution that started it ends, also by continue-as-new.
type ClosePolicy int

// The policies of [ParentClosePolicy].
const (
	// Abandon lets the child run on to its own end. It is the default.
	Abandon ClosePolicy = iota
	// Cancel cancels the child: its code decides how it ends.
	Cancel
	// Terminate terminates the child: none of its code runs any more.
	Terminate
)

// ParentClosePolicy says what happens to a sub-orchestration that still runs
// when the execution that started it ends: [Abandon], the default, [Cancel] or
// [Terminate]. Cancelling and terminating the parent reach the child in any case.
//
//	child := Fulfil.With(turnstile.ParentClosePolicy(turnstile.Cancel)).Start(ctx, order)
func ParentClosePolicy(policy ClosePolicy) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		switch policy {
		case Abandon:
			o.onParentEnd = ""
		case Cancel:
			o.onParentEnd = history.ParentEndCancel
		case Terminate:
			o.onParentEnd = history.ParentEndTerminate
		default:
			o.problems = append(o.problems, &InvalidArgumentError{Call: "ParentClosePolicy", Argument: "policy",
				Problem: fmt.Sprintf("is %d, it must be Abandon, Cancel or Terminate", policy)})
		}
	})
}

// RunTimeout bounds each execution of the orchestration. It belongs to an
// implementation; a call of a sub-orchestration is bounded by [WithTimeout].
//
// When it is over, the scope of the orchestration is cancelled as by
// [WithTimeout]: every await returns a [*CancelledError] that is an [ErrTimeout],
// and clean-up can still run in a [WithoutCancel]. An orchestration that returns that
// error fails by timeout. Code that goes on waiting in a shielded scope is not
// ended: client.Client.Terminate does that.
//
// It records one event, a timer, at the start, and one when the time is over.
// So it is part of the code as its other operations are: changing it parks
// instances that run, unless the new one is another Version. Negative, or more
// than [MaxTimer], is an [*InvalidArgumentError] in [App.Err]; 0 is none.
func RunTimeout(d time.Duration) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		o.timeout = d
		o.problems = append(o.problems, validDuration("RunTimeout", "duration", d)...)
	})
}

// Strict makes it a nondeterminism error if the next completion in history is
// not one that the code waits for at that moment. It belongs to an
// implementation.
func Strict() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.strict = true })
}

// FailWhenStuck fails an instance whose code cannot go on (nondeterminism, a
// panic), where it would otherwise be stuck until working code is deployed. It
// belongs to an implementation.
func FailWhenStuck() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.failWhenStuck = true })
}
