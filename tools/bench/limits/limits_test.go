package limits

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// limitOf is a row of a Limit: n activities that each take so long.
func limitOf(name string, permits int, length time.Duration, invocations, n int) row {
	return row{name: name, policy: history.Retry{LimitKey: "k", Limit: permits}, length: length, invocations: invocations, n: n,
		ideal: time.Duration((n+permits-1)/permits) * length}
}

// rateOf is a row of a Rate.
func rateOf(name string, permits int, span, length time.Duration, invocations, n int) row {
	return row{name: name, policy: history.Retry{RateKey: "k", Rate: permits, RateMS: span.Milliseconds()}, length: length, invocations: invocations, n: n,
		ideal: time.Duration((n-1)/permits)*span + length}
}

var rows = []row{
	limitOf("`Limit` 20, 1 s, 3", 20, time.Second, 3, 1200),
	limitOf("`Limit` 10, 1 s, 3", 10, time.Second, 3, 600),
	limitOf("`Limit` 20, 200 ms, 20", 20, 200*time.Millisecond, 20, 3000),
	limitOf("`Limit` 100, 500 ms, 20", 100, 500*time.Millisecond, 20, 6000),
	rateOf("`Rate` 100 per minute, 200 ms, 3", 100, time.Minute, 200*time.Millisecond, 3, 1000),
	rateOf("`Rate` 100 per second, 200 ms, 20", 100, time.Second, 200*time.Millisecond, 20, 3000),
}

// What a limit or a rate lets through with the default template, and what it costs: at least four fifths of what it
// allows, with at most 6 write units and 10 read units of an activity, and on one item at most half of what a partition takes
// in a second, 1,000 write units and 3,000 read units.
func TestLimitsOnLambda(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			var c, without counted
			synctest.Test(t, func(t *testing.T) { c = run(t, &r) })
			free := r
			free.policy = history.Retry{}
			synctest.Test(t, func(t *testing.T) { without = run(t, &free) })
			of := func(c *counted, services ...string) float64 { return c.dollars(r.n, services...) }
			t.Logf("| %s | %.0f %% | %.1f | %.1f | %.0f | %.0f | $%.2f | $%.2f | $%.2f | %d |", r.name, 100*c.share(&r), c.writes, c.reads, c.peakWrites, c.peakReads,
				of(&c, "DynamoDB")-of(&without, "DynamoDB"), of(&c, "SQS")-of(&without, "SQS"), of(&c, "Lambda")-of(&without, "Lambda"), c.overtaken)
			if n := r.policy.Limit; n > 0 && c.running > n {
				t.Errorf("%d ran at once", c.running)
			}
			if n := r.policy.Rate; n > 0 && c.inSpan > n {
				t.Errorf("%d began within the span", c.inSpan)
			}
			if c.share(&r) < 0.8 || c.writes > 6 || c.reads > 10 || c.peakWrites > 500 || c.peakReads > 1500 {
				t.Errorf("%.0f %% of what is allowed, %.1f write units, %.1f read units; in a second on one item %.0f write and %.0f read units", 100*c.share(&r), c.writes, c.reads,
					c.peakWrites, c.peakReads)
			}
		})
	}
}
