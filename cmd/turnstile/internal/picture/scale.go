package picture

import (
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// scale maps times to columns.
type scale struct {
	// at are the times at which something happens, in order; column has the column of each.
	at     []time.Time
	column []float64
	// folded is set if long waits are drawn shorter than to scale.
	folded bool
}

// finest is the smallest share of the total time that the shortest span must have so that a linear
// scale shows it.
const finest = 1.0 / 150

// newScale maps the times of a timeline to columns. If a linear scale would hide short spans
// because of a wait of days, the scale is folded: the width between two times grows with the
// logarithm of their distance.
func newScale(t *api.Timeline, columns int, linear bool) scale {
	s := scale{at: times(t)}
	if len(s.at) < 2 {
		s.column = make([]float64, len(s.at))
		return s
	}
	whole := s.at[len(s.at)-1].Sub(s.at[0])
	shortest := whole
	for i := range t.Rows {
		if r := &t.Rows[i]; len(r.Spans) > 0 && !r.EndedAt.IsZero() && r.EndedAt.After(r.ScheduledAt) {
			shortest = min(shortest, r.EndedAt.Sub(r.ScheduledAt))
		}
	}
	s.folded = !linear && float64(shortest) < finest*float64(whole)
	weights := make([]float64, len(s.at))
	sum := 0.0
	for i := 1; i < len(s.at); i++ {
		d := s.at[i].Sub(s.at[i-1])
		weight := float64(d)
		if s.folded {
			weight = math.Log2(1 + float64(d)/float64(time.Millisecond))
		}
		sum += weight
		weights[i] = sum
	}
	s.column = make([]float64, len(s.at))
	for i, w := range weights {
		s.column[i] = w / sum * float64(columns)
	}
	return s
}

// times returns all times at which something starts or ends, once each, in order.
func times(t *api.Timeline) []time.Time {
	var all []time.Time
	add := func(at time.Time) {
		if !at.IsZero() && !at.After(t.Now) {
			all = append(all, at)
		}
	}
	open := false
	for i := range t.Executions {
		add(t.Executions[i].From)
		add(t.Executions[i].To)
		open = open || t.Executions[i].To.IsZero()
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		add(r.ScheduledAt)
		add(r.EndedAt)
		for _, span := range r.Spans {
			add(span.To)
		}
		open = open || r.EndedAt.IsZero()
	}
	for i := range t.Ticks {
		add(t.Ticks[i].At)
	}
	if open {
		add(t.Now)
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// of returns the column of a time.
func (s *scale) of(t time.Time) float64 {
	if len(s.at) == 0 {
		return 0
	}
	i, found := slices.BinarySearchFunc(s.at, t, time.Time.Compare)
	switch {
	case found:
		return s.column[i]
	case i == 0:
		return s.column[0]
	case i == len(s.at):
		return s.column[i-1]
	}
	part := float64(t.Sub(s.at[i-1])) / float64(s.at[i].Sub(s.at[i-1]))
	return s.column[i-1] + part*(s.column[i]-s.column[i-1])
}
