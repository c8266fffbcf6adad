package awslambda

import (
	"time"

	"github.com/turnstile-go/turnstile/host"
)

// observers notifies several observers.
type observers []host.Observer

func (o observers) Count(c host.Counter, reason string, n int) {
	for _, each := range o {
		each.Count(c, reason, n)
	}
}

func (o observers) Timing(t host.Timing, d time.Duration) {
	for _, each := range o {
		each.Timing(t, d)
	}
}

func (o observers) Committed(c host.Committed) {
	for _, each := range o {
		each.Committed(c)
	}
}

func (o observers) ProblemChanged(c host.ProblemChange) {
	for _, each := range o {
		each.ProblemChanged(c)
	}
}
