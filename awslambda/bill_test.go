package awslambda

import (
	"bytes"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/bill"
	"github.com/turnstile-go/turnstile/host"
)

// What an invocation leaves in its log is what bills count for it: the line with the
// metrics of a turn that recorded a message and sent an activity, and of an attempt.
func TestTheBytesOfLogsAreThoseThatABillCounts(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.UnixMilli(1_800_000_000_000) }
	var out bytes.Buffer
	length := func(function string, tell func(m *metrics)) int {
		out.Reset()
		m := newMetrics("production", function, &out, now)
		tell(m)
		m.flush()
		return out.Len()
	}
	ms := 3*time.Millisecond + 123*time.Microsecond
	orchestrator := length("orchestrator", func(m *metrics) {
		m.value(groupBacklogAge, "Seconds", 0.021)
		m.Count(host.CountCache, "warm", 1)
		m.Timing(host.TimeCommit, ms)
		m.Timing(host.TimeDispatch, 3*ms)
		m.Count(host.CountTurns, "waiting", 1)
		m.Count(host.CountMessages, "recorded", 1)
		m.Timing(host.TimeTurn, 4*ms)
	})
	worker := length("activity", func(m *metrics) {
		m.Timing(host.TimeAttempt, 20*ms)
		m.Count(host.CountAttempts, "completed", 1)
	})
	for name, c := range map[string]struct{ is, counted int }{"orchestrator": {orchestrator, bill.LogOrchestrator}, "worker": {worker, bill.LogWorker}} {
		if c.is > c.counted || c.is < c.counted*9/10 {
			t.Errorf("the %s's line has %d bytes, a bill counts %d", name, c.is, c.counted)
		}
	}
}
