package turnstiletest

// Call is a call that leaves a process: to the store, a queue or a timer. Between two calls a
// process changes nothing outside itself, so a crash makes a difference only at a call.
type Call struct {
	// Number is the number of the call in its environment, from 1.
	Number int
	// Invocation is the number of the invocation that makes the call, from 1. Calls with the same
	// number belong to the same batch of messages.
	Invocation int
	// Worker is true if a worker makes the call, and false if an orchestrator does.
	Worker bool
	// Action describes the call: "commits events 1 to 2 of order-7 execution 1", "sends
	// ActivityCompleted of event 2 of order-7".
	Action string
}

// CrashBefore kills the process before a call takes effect, if at returns true for the call. The
// queue immediately redelivers the messages that the process had received, to a new or another
// process. The function at is called for each call in order, so it can also list the calls. It must
// not use the environment.
//
//	commits := 0
//	secondCommit := func(c turnstiletest.Call) bool {
//		if strings.HasPrefix(c.Action, "commits") {
//			commits++
//		}
//		return commits == 2 // committed, but no message of the turn is sent
//	}
//	env := turnstiletest.New(t, app, turnstiletest.WithProcesses(2), turnstiletest.CrashAfter(secondCommit))
//
// A [CrashTest] crashes at each call, one crash per run.
func CrashBefore(at func(Call) bool) Option {
	return option(func(o *options) { o.crashBefore = at })
}

// CrashAfter kills the process after the call takes effect and before the process receives the
// result; see [CrashBefore].
func CrashAfter(at func(Call) bool) Option {
	return option(func(o *options) { o.crashAfter = at })
}

// WithProcesses sets how many processes run orchestrations; default 1. The processes take turns
// handling batches, or take them at random with [WithRandomOrder]. With [KeepWarm] each process
// keeps the instances that it has handled in memory, so its copy can be older than a history that
// another process has extended.
func WithProcesses(n int) Option {
	return option(func(o *options) { o.processes = max(n, 1) })
}

// WithBatchKey sets which instances share a batch. Messages that wait at the same time are handled
// by one invocation if the function returns the same key for their instances, and otherwise by
// separate invocations, in the order in which the messages arrived. With a function that returns
// the instance id, each invocation handles a single instance. By default all waiting messages are
// taken together, up to [WithBatchSize].
//
//	// Two orders share a batch, and the third is handled alone.
//	turnstiletest.WithBatchKey(func(instance string) string {
//		if instance == "order-1" || instance == "order-2" {
//			return "together"
//		}
//		return instance
//	})
func WithBatchKey(of func(instance string) string) Option {
	return option(func(o *options) { o.together = of })
}

// WithBatchSize sets the maximum number of messages that one invocation of an orchestrator takes
// together, 1 to 10; default 10. With [WithRandomOrder] the number is drawn for each invocation, up
// to this maximum.
func WithBatchSize(n int) Option {
	return option(func(o *options) { o.batch = min(max(n, 1), maxBatch) })
}
