package embeddedmetrics

import (
	"math"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// maxValues is how many values of a metric one line may carry. A process that has
// nearly so many writes a line: the turns of another batch still fit.
const (
	maxValues  = 100
	nearlyFull = maxValues - queue.MaxReceive
)

// series is the values of a metric since the last line, rounded to a thousandth. Of
// more than a line may carry, which an invocation has that runs many
// activities inline, every second is kept, or every fourth, and so on: enough for
// percentiles. How many there were, the counters say.
type series struct {
	unit   string
	values []float64
	// Of so many values more than one, one is kept; skip are still to be left out.
	leftOut, skip int
}

func (s *series) add(v float64) {
	if s.skip > 0 {
		s.skip--
		return
	}
	if len(s.values) == maxValues {
		for i := range maxValues / 2 {
			s.values[i] = s.values[2*i]
		}
		s.values = s.values[:maxValues/2]
		s.leftOut = 2*s.leftOut + 1
	}
	s.values = append(s.values, math.Round(v*1000)/1000)
	s.skip = s.leftOut
}
