package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Inline runs the activity inside the orchestration's own turn, without a queue, and waits for its
// result. Use it for work that takes milliseconds, or that is done thousands of times. The process
// that runs the orchestration needs the activity's implementation.
//
// The retry policy applies as for Call. The turn waits for delays of up to a second. A
// longer delay is a timer, and the next attempt is a new ActivityScheduled with the same
// idempotency key. An invocation that nears its deadline leaves the rest to another invocation.
//
// An inline activity runs after its ActivityScheduled is committed. If another process has recorded
// an event for the instance in the meantime, such as a suspend, a cancel or a terminate, that
// commit fails and the activity does not run. The result is committed together with the operations
// that the code schedules next, and before those operations run: n inline activities in a row need
// n+1 commits. See [CommitEvery].
//
// The activity runs at least once. A crash before the result is committed runs it again, and Lambda
// can invoke two processes with the same messages. Each run has the same input and idempotency key.
//
// The activity's code gets no Context, and must not use the orchestration's: a durable call inside
// it is a [*MisuseError], which names the call and the activity. Nothing is recorded.
//
// Inline records two events, and four more for each retry that waits for longer than a second. It
// returns the errors of [Activity.Call].
func (a Activity[In, Out]) Inline(ctx Context, in In) (Out, error) {
	run := ctx.engine(a.name)
	var zero Out
	if a.normalize == nil || a.problem != nil {
		panic(unsound("Activity.Inline", a.name, "NewActivity", a.problem))
	}
	if a.retry != nil && a.retry.AtMostOnce {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q is declared AtMostOnce, but an inline activity runs at least once, because a crash before the commit runs it again: schedule it with Call or Start", a.name)})
	}
	if a.retry != nil && (a.retry.Limit > 0 || a.retry.Rate > 0) {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q has a Limit or a Rate, which workers enforce, and an inline activity runs without a worker: schedule it with Call or Start", a.name)})
	}
	if a.retry != nil && (a.retry.Queue != "" || a.retry.FairKey != "") {
		panic(&MisuseError{Call: "Activity.Inline", Problem: fmt.Sprintf(
			"%q has a Queue or FairnessKey, which apply to workers, and an inline activity runs without a worker: schedule it with Call or Start", a.name)})
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
	return decode[Out](result, "result of activity", a.name, run.Encoded())
}

// CommitEvery lets up to n results of inline runs share a commit. This makes many short activities
// up to n times cheaper. The runs may be of different activities; if their values of n differ, the
// smallest applies. Without CommitEvery each result is committed before the next activity runs. The
// option has no effect on Call and Start.
//
// After a crash, runs that were not committed, up to n, are repeated in order. Idempotency keys
// derive from the position in the history, so they are the same if the code takes the same path
// again. Only the first of these activities is guaranteed to have the same input. Do not let later
// ones depend on random values, on the time, or on a result that can differ.
func CommitEvery(n int) ActivityOption { return batch(n) }

type batch int

func (n batch) applyToActivity(o *activityOptions) {
	o.Batch = max(int(n), 0)
	if n < 0 {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "CommitEvery", Argument: "number",
			Problem: fmt.Sprintf("is %d; it must be 0 or more; 0 and 1 commit each result by itself", int(n))})
	}
}
