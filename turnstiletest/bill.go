package turnstiletest

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/platform"
)

// What the calls of an invocation take on AWS, about: a batch that goes to the
// database and to a queue. Virtual time knows nothing of it.
const (
	turnTook    = 12 * time.Millisecond
	attemptTook = 9 * time.Millisecond
)

// Bill returns what everything so far would have cost on AWS, at list prices:
// requests and units as they are charged, counted where messages are sent,
// received and deleted, histories written and read, schedules fired. It prints as a
// table:
//
//	t.Log(env.Bill())
//
// It counts what the environment does: one batch of messages after the other, with
// one process of each function; with KeepWarm, which is how most turns are on
// AWS, it stays warm; otherwise each turn reads its history. On AWS messages that come at the
// same time share more calls than here, and cold processes read histories that warm
// ones have. The time of functions is estimated: 12 ms an invocation of the
// orchestrator, 9 ms one of activities, 512 MB; what activities themselves take is
// not in it, nor are storage and what a stack costs while it is idle. Reads by the
// test itself (Describe, History) do not count; its starts and events do.
func (e *Env) Bill() bill.Bill {
	e.metrics.orchestrator.Flush()
	e.metrics.worker.Flush()
	return e.meter.Bill()
}

// functionMetrics are what the two functions write to their logs.
type functionMetrics struct{ orchestrator, worker *embeddedmetrics.Metrics }

func (m functionMetrics) of(t *task) *embeddedmetrics.Metrics {
	if t.from.Is == platform.SourceActivity {
		return m.worker
	}
	return m.orchestrator
}

func (e *Env) newMetrics(function string) *embeddedmetrics.Metrics {
	return embeddedmetrics.New(embeddedmetrics.Config{Environment: "production", Function: function, Out: e.meter.Log(), Now: e.clock.Now})
}

// charge counts a batch that was handled.
func (e *Env) charge(t *task) {
	took := turnTook
	if t.from.Is == platform.SourceActivity {
		took = attemptTook
	}
	e.meter.Delivered(t.from.Queue.FIFO(), t.batch, len(t.batch)-len(t.failed))
	e.metrics.of(t).End()
	e.meter.Invoked(took, bill.MemoryMB)
}
