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

// Version selects a version of an orchestration. With Implement it names the version that is
// implemented. With Call, Start, StartDetached, ContinueAsNew and client.Start it names the version
// that is requested. Without Version, Implement implements the oldest, unnamed version, and the
// others request the newest.
//
// Versions are ordered by their dot-separated parts, and numbers by value: 1.10 is newer than 1.2.
// An instance stays on the version that it started with.
func Version(version string) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.version = version })
}

// InstanceID sets the instance id of a child or a detached orchestration: 1 to 512 bytes of UTF-8
// without control characters. An id of up to 128 ASCII letters, digits and punctuation is used
// unchanged as the message group on SQS, so you can recognize it in the SQS console.
func InstanceID(id string) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.instance = id })
}

// UseExisting uses the existing instance if the instance id of a child is already in use by an
// instance of the same orchestration, whatever its version and input. Without it, or if an instance
// of another orchestration has the id, the child fails with a [*ChildError] of kind already_exists.
// For a start by a client see client.UseExisting.
//
// The parent then waits for the outcome of the existing instance. It receives the outcome once,
// however the instance ends, and immediately if it has already ended. If the instance continues as
// new, the parent keeps waiting. The instance does not become a child of the parent: a cancel, a
// terminate or the end of the parent does not affect it, and neither does the [ParentClosePolicy].
// UseExisting records one event, in that instance.
//
// With [Retry], an attempt after a failed instance starts a new instance with its own id.
// StartDetached does not need the option, because it does not report an id that is in use.
func UseExisting() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.useExisting = true })
}

// ClosePolicy decides what happens to a sub-orchestration that is still running when the execution
// that started it ends, also by continue-as-new.
type ClosePolicy int

// These are the policies of [ParentClosePolicy].
const (
	// Abandon lets the child continue to its own end. It is the default.
	Abandon ClosePolicy = iota
	// Cancel cancels the child: its code decides how it ends.
	Cancel
	// Terminate terminates the child: its code does not run again.
	Terminate
)

// ParentClosePolicy decides what happens to a sub-orchestration that is still running when the
// execution that started it ends: [Abandon], the default, [Cancel] or [Terminate]. Cancelling or
// terminating the parent always cancels or terminates the child.
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
				Problem: fmt.Sprintf("is %d; it must be Abandon, Cancel or Terminate", policy)})
		}
	})
}

// RunTimeout limits the duration of each execution of the orchestration. It is an option of an
// implementation; to limit a call of a sub-orchestration, use [WithTimeout].
//
// When the time expires, the scope of the orchestration is cancelled as by [WithTimeout]: every
// await returns a [*CancelledError] that is an [ErrTimeout], and clean-up can still run in a
// [WithoutCancel] context. An orchestration that returns that error has failed with [KindTimeout].
// Code that keeps waiting in a WithoutCancel context is not ended; use client.Client.Terminate for
// that.
//
// It records one event, a timer, at the start, and a second event when the time expires. So the
// timeout is part of the code, as other operations are: changing it makes running instances stuck,
// unless the changed implementation is another [Version]. A negative duration, or one above
// [MaxTimer], is an [*InvalidArgumentError] in [App.Err]; 0 means no limit.
func RunTimeout(d time.Duration) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		o.timeout = d
		o.problems = append(o.problems, validDuration("RunTimeout", "duration", d)...)
	})
}

// StrictOrder adds a check: the code must be waiting for each completion when the history delivers
// it; if not, that is a nondeterminism error. It is an option of an implementation.
func StrictOrder() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.strict = true })
}

// FailWhenStuck fails an instance whose code cannot continue because of nondeterminism or a panic.
// Without it the instance is stuck until working code is deployed. It is an option of an
// implementation.
func FailWhenStuck() OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) { o.failWhenStuck = true })
}
