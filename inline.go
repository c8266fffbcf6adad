package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Inline runs the activity inside the orchestration's own turn, without a
// queue, and waits for its result: for what takes milliseconds, and for what is
// done thousands of times. The process that runs the orchestration needs its
// implementation.
//
// The retry policy is the same. Delays of up to a second are waited for in the
// turn; a longer one is a timer, and the next attempt a new ActivityScheduled
// with the same idempotency key. An invocation that nears its deadline continues in
// another one.
//
// An inline activity runs after its ActivityScheduled is committed. That commit fails if
// another process has recorded anything for the instance, such as a suspend, a cancel or a
// terminate; then nothing runs. The result is committed with what the code makes of it,
// before anything else runs: n inline activities in a row need n+1 commits. See [CommitEvery].
//
// It runs at least once. A crash before the result is committed runs it again, and Lambda can
// invoke two processes with the same messages. Each run has the same input and idempotency key.
//
// Its code gets no Context, and must not use one that it finds: a durable call
// in it is a [*MisuseError], which names both and records nothing.
//
// It records two events, and four more for each retry that waits for longer
// than a second. Errors as for Call.
func (a Activity[In, Out]) Inline(ctx Context, in In) (Out, error) {
	run := ctx.engine(a.name)
	var zero Out
	if a.normalize == nil || a.problem != nil {
		panic(unsound("Activity.Inline", a.name, "NewActivity", a.problem))
	}
	if a.retry != nil && a.retry.AtMostOnce {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q is declared AtMostOnce, but runs inline at least once, for a crash before the commit runs it again: schedule it with Call or Start", a.name)})
	}
	if a.retry != nil && (a.retry.Limit > 0 || a.retry.Rate > 0) {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q has a Limit or a Rate over all instances, which workers keep, and an inline run has no worker: schedule it with Call or Start", a.name)})
	}
	if a.retry != nil && (a.retry.Queue != "" || a.retry.FairKey != "") {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q has a Queue or FairBy, which are for workers, and an inline run has no worker: schedule it with Call or Start", a.name)})
	}
	if a.options != nil {
		return zero, a.options
	}
	input, err := encode(in, "input of activity", a.name)
	if err != nil {
		return zero, err
	}
	result, err := run.Inline(engine.ActivityCall{Name: a.name, Input: input, Retry: a.retry, Normalize: a.normalize})
	if err != nil {
		return zero, explain(err, ofActivity, a.name, "")
	}
	return decode[Out](result, "result of activity", a.name, run.Sealed())
}

// CommitEvery lets up to n results of inline runs, of this and other activities that
// allow it, share a commit (where they differ, the smallest n counts), which makes many short ones n times cheaper. Without it each
// result is committed before anything else runs. It has no meaning for Call and Start.
//
// A crash runs again what was not committed, up to n of them, in their order. Idempotency
// keys derive from the place in the history, so they are the same if the code takes the same
// way again. Only the first activity of the n is sure to have the same input: do not let later
// ones depend on random values, on the time, or on a result that can differ.
func CommitEvery(n int) ActivityOption { return batch(n) }

type batch int

func (n batch) applyToActivity(o *activityOptions) {
	o.Batch = max(int(n), 0)
	if n < 0 {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "CommitEvery", Argument: "number",
			Problem: fmt.Sprintf("is %d, it must be 0 or more; 0 and 1 commit each result by itself", int(n))})
	}
}
