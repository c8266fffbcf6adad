package deciding

import "github.com/turnstile-go/turnstile/store"

// An inline activity runs after its ActivityScheduled is committed. That commit shows that no other
// process has overtaken this one: the cached state of a process may be ten minutes old, and the
// instance may have been suspended, cancelled or terminated in the meantime. The commit also makes
// the activity's event id durable, from which its idempotency key derives, and its input, which may
// be random. So every process that runs the activity again, including a duplicate invocation, runs
// the same activity under the same key.
//
// The result shares a commit with what the code does next, including the next ActivityScheduled. So
// a chain of n inline activities has n+1 commits.
//
// Activities that allow it (CommitEvery) run before that commit: up to their batch, results and the
// ActivityScheduled events between them share a commit.

// mayCall checks whether an inline activity may be run. Its ActivityScheduled is durable, or is in
// the draft's open batch. The record is read first, because a turn of the instance may have killed
// its process, and then only a wake may run the code. If this turn has committed nothing, because
// the activity was already open, an isolated read checks that no result follows: the cache may be
// old, and an ordinary read may miss what a transaction has just written.
func (r *round) mayCall() error {
	k := r.k
	if !k.Running.Creating() && !(k.Running.Warm && k.Running.Confirmed()) {
		if err := k.described(); err != nil {
			return err
		}
		if of := k.View.Record; k.Answered == Record && (of == nil || of.ExecutionID != k.Running.Execution || of.Problem != nil && of.Problem.Kind == store.ProblemKilled) {
			return ErrStale
		}
	}
	if !k.Running.Confirmed() {
		return k.unmoved()
	}
	return nil
}
