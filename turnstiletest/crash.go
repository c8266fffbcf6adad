package turnstiletest

// Call is a call that leaves a process: to the store, a queue or a timer. Between
// two calls a process changes nothing outside itself, so a crash makes a difference
// only at these moments.
type Call struct {
	// Number of the call in its environment, from 1.
	Number int
	// Invocation of a process that makes it, from 1: calls with the same number
	// are of one batch of messages.
	Invocation int
	// Worker: a worker makes it, otherwise an orchestrator.
	Worker bool
	// What it does, in words: "commits events 1 to 2 of order-7 execution 1",
	// "sends ActivityCompleted of event 2 of order-7".
	What string
}

// CrashBefore kills the process that makes a call, before the call takes effect, if
// at returns true. The queue delivers again, at once, the messages that the process
// had received, to a process of its own or another one. at is asked for each call,
// in their order, so it may also list them; it must not use the environment.
//
//	commits := 0
//	secondCommit := func(c turnstiletest.Call) bool {
//		if strings.HasPrefix(c.What, "commits") {
//			commits++
//		}
//		return commits == 2 // it is committed, and nothing of it is sent
//	}
//	env := turnstiletest.New(t, app, turnstiletest.WithProcesses(2), turnstiletest.CrashAfter(secondCommit))
//
// A [CrashTest] crashes at each call, one a run.
func CrashBefore(at func(Call) bool) Option {
	return option(func(o *options) { o.crashBefore = at })
}

// CrashAfter kills the process after the call takes effect, before it sees the
// result; see [CrashBefore].
func CrashAfter(at func(Call) bool) Option {
	return option(func(o *options) { o.crashAfter = at })
}

// WithProcesses lets n processes run orchestrations, which take batches in turn, or
// at random with [WithRandomOrder]; default 1. With [KeepWarm] each keeps in memory what it has
// handled, so that it may meet a history that another has gone on with.
func WithProcesses(n int) Option {
	return option(func(o *options) { o.processes = max(n, 1) })
}

// WithBatchKey says which instances share a batch: messages that wait at the same time
// are handled by one invocation if the function returns the same name for their
// instances, and by several otherwise, in the order in which they came. The
// instance's id itself keeps every instance for itself. Default: whatever waits is
// taken together, up to [WithBatchSize].
//
//	// Two orders meet in a batch, and the third is handled alone.
//	turnstiletest.WithBatchKey(func(instance string) string {
//		if instance == "order-1" || instance == "order-2" {
//			return "together"
//		}
//		return instance
//	})
func WithBatchKey(of func(instance string) string) Option {
	return option(func(o *options) { o.together = of })
}

// WithBatchSize says how many messages one invocation of an orchestrator takes together,
// 1 to 10; default 10, as many as are there. [WithRandomOrder] draws it for each.
func WithBatchSize(n int) Option {
	return option(func(o *options) { o.batch = min(max(n, 1), maxBatch) })
}
