package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/turnstile-go/turnstile/host"
)

// counters of the host by their names here. Their attribute "reason" has few values
// (host.Counter says which).
var counters = []struct {
	of         host.Counter
	name, unit string
	what       string
}{
	{host.CountTurns, "turnstile.turns", "{turn}", "Commits of turns, by how the turn stands afterwards."},
	{host.CountAttempts, "turnstile.attempts", "{attempt}", "Attempts of activities, by outcome."},
	{host.CountPermits, "turnstile.permits", "{attempt}", "What happens to permits of limits over instances."},
	{host.CountMessages, "turnstile.messages", "{message}", "Messages settled, by what became of them."},
	{host.CountHandedBack, "turnstile.messages.handed_back", "{message}", "Messages that come again, by reason."},
	{host.CountDelayed, "turnstile.messages.delayed", "{message}", "Messages sent round the delay queue, by reason."},
	{host.CountForwarded, "turnstile.messages.forwarded", "{message}", "Messages of standard queues sent on to the FIFO queue, by kind."},
	{host.CountDeadLettered, "turnstile.messages.dead_lettered", "{message}", "Messages moved to a dead-letter queue, by reason."},
	{host.CountConflicts, "turnstile.conflicts", "{commit}", "Commits that another writer won."},
	{host.CountResent, "turnstile.resent", "{commit}", "Commits whose open actions were sent again."},
	{host.CountStuck, "turnstile.stuck", "{turn}", "Turns that could not go on, by kind."},
	{host.CountRecovered, "turnstile.recovered", "{instance}", "Stuck or corrupt instances that went on."},
	{host.CountLooping, "turnstile.looping", "{message}", "What waits because it goes on without a pause, and instances that were failed for it."},
	{host.CountCorrupt, "turnstile.corrupt", "{history}", "Histories found damaged."},
	{host.CountArchive, "turnstile.archive", "{instance}", "Instances that the archive has taken before their purge, and those that it has not."},
	{host.CountInstanceEvents, "turnstile.instance_events", "{event}", "Events about instances that were published, and those that are published again later."},
	{host.CountCache, "turnstile.cache", "{turn}", "Turns by warm and cold, and evicted instances."},
}

// timings of the host by their names here, in seconds.
var timings = []struct {
	of         host.Timing
	name, what string
}{
	{host.TimeTurn, "turnstile.turn.duration", "How long a turn took, dispatch included."},
	{host.TimeReplay, "turnstile.replay.duration", "How long the code ran in a turn."},
	{host.TimeRead, "turnstile.read.duration", "How long reading a history took."},
	{host.TimeCommit, "turnstile.commit.duration", "How long a commit took."},
	{host.TimeDispatch, "turnstile.dispatch.duration", "How long sending what a commit asked for took."},
	{host.TimeAttempt, "turnstile.attempt.duration", "How long an attempt of an activity took."},
	{host.TimePermit, "turnstile.permit.wait", "How long an attempt had waited in the line of its limit when it got a permit."},
	{host.TimeMessageAge, "turnstile.message.age", "How long a message had waited when it was received."},
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
