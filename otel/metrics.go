package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/turnstile-go/turnstile/host"
)

// counters are the host's counters and their names in OpenTelemetry. Their attribute "reason" has
// few values (see host.Counter).
var counters = []struct {
	of         host.Counter
	name, unit string
	what       string
}{
	{host.CountTurns, "turnstile.turns", "{turn}", "Commits of turns, by the state of the instance after the turn."},
	{host.CountAttempts, "turnstile.attempts", "{attempt}", "Attempts of activities, by outcome."},
	{host.CountPermits, "turnstile.permits", "{attempt}", "Permits of limits across instances that were taken, returned or waited for."},
	{host.CountMessages, "turnstile.messages", "{message}", "Messages settled, by outcome."},
	{host.CountReturned, "turnstile.messages.returned", "{message}", "Messages returned to their queue, by reason."},
	{host.CountDelayed, "turnstile.messages.delayed", "{message}", "Messages requeued through the delay queue, by reason."},
	{host.CountHeldUp, "turnstile.messages.held_up", "{message}", "Messages that have waited an hour for another build, or have been redelivered for half an hour, by reason."},
	{host.CountForwarded, "turnstile.messages.forwarded", "{message}", "Messages of standard queues forwarded to the FIFO queue, by kind."},
	{host.CountDeadLettered, "turnstile.messages.dead_lettered", "{message}", "Messages moved to a dead-letter queue, by reason."},
	{host.CountConflicts, "turnstile.conflicts", "{commit}", "Commits that failed because another process wrote first."},
	{host.CountResent, "turnstile.resent", "{commit}", "Commits whose unsent messages were sent again."},
	{host.CountStuck, "turnstile.stuck", "{turn}", "Turns that could not continue, by kind of problem."},
	{host.CountRecovered, "turnstile.recovered", "{instance}", "Stuck or corrupt instances that continued."},
	{host.CountLooping, "turnstile.looping", "{message}", "Messages delayed because their instance loops without a pause, and instances that failed because of it."},
	{host.CountCorrupt, "turnstile.corrupt", "{history}", "Corrupt histories that were found."},
	{host.CountArchive, "turnstile.archive", "{instance}", "Instances that the archive accepted or rejected before their purge."},
	{host.CountInstanceEvents, "turnstile.instance_events", "{event}", "Events about instances that were published, or whose publication is retried."},
	{host.CountCache, "turnstile.cache", "{turn}", "Turns with a warm or a cold cache, and evicted instances."},
}

// timings are the host's durations and their names in OpenTelemetry, in seconds.
var timings = []struct {
	of         host.Timing
	name, what string
}{
	{host.TimeTurn, "turnstile.turn.duration", "Duration of a turn, including dispatch."},
	{host.TimeReplay, "turnstile.replay.duration", "Duration of the code in a turn."},
	{host.TimeRead, "turnstile.read.duration", "Duration of reading a history."},
	{host.TimeCommit, "turnstile.commit.duration", "Duration of a commit."},
	{host.TimeDispatch, "turnstile.dispatch.duration", "Duration of sending the messages of a commit."},
	{host.TimeAttempt, "turnstile.attempt.duration", "Duration of an attempt of an activity."},
	{host.TimePermit, "turnstile.permit.wait", "How long an attempt had waited for the permit of a limit when it got it."},
	{host.TimeMessageAge, "turnstile.message.age", "Age of a message when it was received."},
}

type instruments struct {
	counters map[host.Counter]metric.Int64Counter
	timings  map[host.Timing]metric.Float64Histogram
}

func newInstruments(m metric.Meter) (i instruments, err error) {
	i.counters, i.timings = map[host.Counter]metric.Int64Counter{}, map[host.Timing]metric.Float64Histogram{}
	for _, c := range counters {
		if i.counters[c.of], err = m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.what)); err != nil {
			return i, err
		}
	}
	for _, t := range timings {
		if i.timings[t.of], err = m.Float64Histogram(t.name, metric.WithUnit("s"), metric.WithDescription(t.what),
			metric.WithExplicitBucketBoundaries(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 900)); err != nil {
			return i, err
		}
	}
	return i, nil
}

func (i *instruments) count(c host.Counter, reason string, n int) {
	if counter, known := i.counters[c]; known {
		counter.Add(context.Background(), int64(n), metric.WithAttributes(attribute.String("reason", reason)))
	}
}

func (i *instruments) timing(t host.Timing, d time.Duration) {
	if histogram, known := i.timings[t]; known {
		histogram.Record(context.Background(), d.Seconds())
	}
}
