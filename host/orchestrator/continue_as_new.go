package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
)

// toNextExecution goes on with the execution whose first events were committed
// together with the end of the one before. It reports whether this invocation is to
// run no more of them.
func (t *turn) toNextExecution(ctx context.Context, events []history.Event) (short bool) {
	t.x.Close()
	t.execution++
	t.x, t.work, t.warm = t.newExecution(t.execution), dispatch.Work{}, false
	t.work.Add(events)
	// They were made by the engine itself: they can't be corrupt.
	_ = t.x.Feed(events, true)
	t.continued++
	return t.continued >= t.Settings.Turn.Executions || !clock.HasTime(ctx, t.Clock, t.Settings.Turn.Time)
}
