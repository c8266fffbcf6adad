package awslambda

import "github.com/turnstile-go/turnstile/host"

// MetricNames are those under which the functions write what the host tells them.
func MetricNames() []string {
	names := []string{attention, groupBacklogAge, "Throttled"}
	for _, c := range []host.Counter{host.CountTurns, host.CountAttempts, host.CountStuck, host.CountCorrupt, host.CountDeadLettered, host.CountConflicts,
		host.CountHandedBack, host.CountResent} {
		names = append(names, metricName(string(c)))
	}
	for _, t := range []host.Timing{host.TimeTurn, host.TimeReplay, host.TimeCommit, host.TimeDispatch, host.TimeAttempt} {
		names = append(names, metricName(string(t))+"Time")
	}
	return names
}
