package turnstiletest

// Call is one that leaves a process: to the store, a queue or a timer. What a
// process does between two of them nobody else sees, so these are the moments at
// which its death makes a difference.
type Call struct {
	// Number of the call in its environment, from 1.
	Number int
	// Invocation of a process that makes it, from 1: calls with the same number
	// are of one batch of messages.
	Invocation int
	// Worker: a worker makes it, else an orchestrator.
	Worker bool
	// What it does, in words: "commits events 1 to 2 of order-7 execution 1",
	// "sends ActivityCompleted of event 2 of order-7".
	What string
}

// KillBefore kills the process that makes a call, before the call takes effect, if
// at says so. What the process had received is delivered again, at once, to a
// process of its own or another one. at is asked for each call, in their order, so
// it may also list them; it must not use the environment.
//
//	commits := 0
//	secondCommit := func(c turnstiletest.Call) bool {
//		if strings.HasPrefix(c.What, "commits") {
//			commits++
//		}
//		return commits == 2 // it is committed, and nothing of it is sent
//	}
//	env := turnstiletest.New(t, app, turnstiletest.Processes(2), turnstiletest.KillBehind(secondCommit))
//
// A Drill kills at each call, one a run.
func KillBefore(at func(Call) bool) Option {
	return func(o *options) { o.killBefore = at }
}

// KillBehind is KillBefore for a call that still takes effect: its process does
// not hear of it.
func KillBehind(at func(Call) bool) Option {
	return func(o *options) { o.killBehind = at }
}

// Processes lets n processes run orchestrations, which take batches in turn, or,
// Shuffled, at random; default 1. With Cold(false) each keeps in memory what it has
// handled, so that it may meet a history that another has gone on with.
func Processes(n int) Option {
	return func(o *options) { o.processes = max(n, 1) }
}

// BatchesOf says which instances share a batch: messages that wait at the same time
// are handled by one invocation if the names are the same that of gives for their
// instances, and by several else, in the order in which they came. The instance's id
// itself keeps every instance for itself. Default: whatever waits is taken together,
// up to BatchSize.
//
//	// Two orders meet in a batch, and the third is handled alone.
//	turnstiletest.BatchesOf(func(instance string) string {
//		if instance == "order-1" || instance == "order-2" {
//			return "together"
//		}
//		return instance
//	})
func BatchesOf(of func(instance string) string) Option {
	return func(o *options) { o.together = of }
}

// BatchSize is how many messages one invocation of an orchestrator takes together,
// 1 to 10; default 10, as many as are there. Shuffled draws it for each.
func BatchSize(n int) Option {
	return func(o *options) { o.batch = min(max(n, 1), maxBatch) }
}
