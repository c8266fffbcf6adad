package host

import "github.com/turnstile-go/turnstile/history"

// toNextExecution goes on with the execution whose first events were committed
// together with the end of the one before.
func (t *turn) toNextExecution(events []history.Event) {
	t.x.Close()
	t.execution++
	t.x, t.work, t.warm = t.newExecution(t.execution), newWork(), false
	t.work.add(events)
	// They were made by the engine itself: they can't be corrupt.
	_ = t.x.Feed(events, true)
}
