package awslambda

import (
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
)

// WithOutput is withOutput, for tests outside of the package.
var WithOutput = withOutput

// MetricNames are those under which the functions write what the host tells them.
func MetricNames() []string {
	names := []string{embeddedmetrics.Attention, embeddedmetrics.GroupBacklogAge, "Throttled"}
	for _, c := range []host.Counter{host.CountTurns, host.CountAttempts, host.CountStuck, host.CountCorrupt, host.CountDeadLettered, host.CountConflicts,
		host.CountReturned, host.CountResent} {
		names = append(names, embeddedmetrics.Name(string(c)))
	}
	for _, t := range []host.Timing{host.TimeTurn, host.TimeReplay, host.TimeCommit, host.TimeDispatch, host.TimeAttempt} {
		names = append(names, embeddedmetrics.Name(string(t))+"Time")
	}
	return names
}
