package turnstiletest

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/platform"
)

// These are approximate durations of an invocation on AWS, for a batch that calls the database and
// a queue. Virtual time does not include them.
const (
	turnTook    = 12 * time.Millisecond
	attemptTook = 9 * time.Millisecond
)

// Bill estimates what the test so far would have cost on AWS, at list prices. It counts requests
// and units as AWS charges them: messages sent, received and deleted, histories written and read,
// schedules fired. It is printed as a table:
//
//	t.Log(env.Bill())
//
// Bill counts what the environment does: one batch of messages after another, with one process of
// each function. With [KeepWarm] the process stays warm, as it does for most turns on AWS;
// otherwise each turn reads its history. On AWS, messages that arrive at the same time share more
// calls than here, and cold processes read histories that warm processes have in memory. The
// duration of functions is an estimate: 12 ms per invocation of the orchestrator and 9 ms per
// invocation of the worker, with 512 MB. Bill does not include the run time of activities, storage,
// and the cost of an idle stack. It counts the starts and events of the test itself, but not its
// reads (Describe, History).
func (e *Env) Bill() bill.Bill {
	e.metrics.orchestrator.Flush()
	e.metrics.worker.Flush()
	return e.meter.Bill()
}

// functionMetrics are the metrics that the two functions write to their logs.
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

// charge adds a handled batch to the bill.
func (e *Env) charge(t *task) {
	took := turnTook
	if t.from.Is == platform.SourceActivity {
		took = attemptTook
	}
	e.meter.Delivered(t.from.Queue.FIFO(), t.batch, len(t.batch)-len(t.failed))
	e.metrics.of(t).End()
	e.meter.Invoked(took, bill.MemoryMB)
}
