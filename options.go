package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// OrchestrationOption is an option of Orchestration.With.
type OrchestrationOption interface {
	applyToOrchestration(*orchestrationOptions)
}

type orchestrationOptions struct {
	version       string
	instance      string
	onParentEnd   ParentEnd
	useExisting   bool
	retry         *RetryPolicy
	timeout       time.Duration
	strict        bool
	failWhenStuck bool
}

// Version names a version of an orchestration. With Is it says which one is
// implemented; with Call, Start, Detach, ContinueAsNew and StartWith which one
// is asked for. Without it Is implements the oldest, unnamed version, and the
// others ask for the newest.
//
// Versions are ordered by their dot-separated parts, numbers by value: 1.10 is
// newer than 1.2. An instance stays on the version that it started with.
type Version string

func (v Version) applyToOrchestration(o *orchestrationOptions) { o.version = string(v) }
func (v Version) applyToStart(s *StartRequest)                 { s.Version = string(v) }

// InstanceID chooses the instance id of a child, a detached orchestration or
// one that a client starts: 1 byte or more of UTF-8 without control
// characters, at most 512 bytes. Ids of up to 128 ASCII letters, digits and
// punctuation are also their own message group on SQS, which reads well in its
// console.
type InstanceID string

func (id InstanceID) applyToOrchestration(o *orchestrationOptions) { o.instance = string(id) }
func (id InstanceID) applyToStart(s *StartRequest)                 { s.Instance = string(id) }

// UseExisting says what happens when the instance id of a child, or of a start by
// a client, is taken: the instance that has it is used, if it is one of the same
// orchestration, whatever its version and input. Without it, and where another
// orchestration has the id, a child fails with a *ChildError of kind
// already_exists, and a start with an *AlreadyExistsError.
//
// A parent that found the id taken waits for the outcome of that instance, and
// is told once, however it ends; if it has ended already, at once. Its
// continuing as new goes on being waited for. It is not the parent's own child:
// cancelling, terminating and the end of the parent leave it alone, and so does
// the option of what becomes of a child. It records one event, in that instance.
//
// With Retry an instance that failed is followed by another, with its own id.
// Detach needs no such option: nobody is told of an id that is taken.
func UseExisting() UseExistingOption { return useExisting{} }

// UseExistingOption is what UseExisting returns: an option of Orchestration.With
// and of StartWith.
type UseExistingOption interface {
	OrchestrationOption
	StartOption
}

type useExisting struct{}

func (useExisting) applyToOrchestration(o *orchestrationOptions) { o.useExisting = true }
func (useExisting) applyToStart(s *StartRequest)                 { s.UseExisting = true }

// ParentEnd says what becomes of a sub-orchestration that still runs when the
// execution that started it ends: an option of Orchestration.With.
type ParentEnd string

// What becomes of a sub-orchestration when its parent's execution ends, also
// by continue-as-new. Cancelling and terminating the parent reach it in any
// case.
const (
	// LeaveChild, the default: it runs on to its end.
	LeaveChild ParentEnd = ""
	// CancelChild: it is cancelled, and its code decides how it ends.
	CancelChild ParentEnd = history.ParentEndCancel
	// TerminateChild: it is terminated, and none of its code runs.
	TerminateChild ParentEnd = history.ParentEndTerminate
)

func (p ParentEnd) applyToOrchestration(o *orchestrationOptions) { o.onParentEnd = p }

// ExecutionTimeout bounds each execution of the orchestration. It belongs to an
// implementation; a call of a sub-orchestration is bounded by WithTimeout.
//
// When it is over, the scope of the orchestration is cancelled as by
// WithTimeout: every await returns a *CancelledError that is an ErrTimeout, and
// clean-up can still run in a Shield. An orchestration that returns that error
// fails by timeout. Code that goes on waiting in a shielded scope is not ended:
// Client.Terminate does that.
//
// It records one event, a timer, at the start, and one when the time is over.
// So it is part of the code as its other operations are: changing it parks
// instances that run, unless the new one is another Version.
type ExecutionTimeout time.Duration

func (d ExecutionTimeout) applyToOrchestration(o *orchestrationOptions) { o.timeout = time.Duration(d) }

// Strict makes it a nondeterminism error if the next completion in history is
// not one that the code waits for at that moment. It belongs to an
// implementation.
func Strict() OrchestrationOption { return strict{} }

type strict struct{}

func (strict) applyToOrchestration(o *orchestrationOptions) { o.strict = true }

// FailWhenStuck fails an instance whose code cannot go on (nondeterminism, a
// panic), where it would else be parked until a build is deployed that can. It
// belongs to an implementation.
func FailWhenStuck() OrchestrationOption { return failWhenStuck{} }

type failWhenStuck struct{}

func (failWhenStuck) applyToOrchestration(o *orchestrationOptions) { o.failWhenStuck = true }
