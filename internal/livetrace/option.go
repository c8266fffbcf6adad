package livetrace

import "time"

// Option is an option of [New].
type Option interface{ apply(*Trace) }

type option func(*Trace)

func (f option) apply(t *Trace) { f(t) }

// WithColours says whether the text is coloured. Default: if it goes to a terminal,
// NO_COLOR is not set (https://no-color.org) and TERM is not "dumb".
func WithColours(on bool) Option {
	return option(func(t *Trace) { t.paint = paint(on) })
}

// WithWidth says how many columns a line may have; what does not fit is cut, or
// wrapped where it is a sentence. Default, and if it is 0 or less: those that
// the terminal has at the time, and 116 where there is none. Less than 40 count
// as 40.
func WithWidth(columns int) Option {
	return option(func(t *Trace) {
		if columns > 0 {
			t.width = func() int { return max(columns, narrowest) }
		}
	})
}

// WithStart shows times as what has passed since start, such as "+2.04s" or
// "+3d04h05m". Default: the time of day.
func WithStart(start time.Time) Option {
	return WithTimes(func(at time.Time) string { return elapsed(at.Sub(start)) })
}

// WithTimes shows times as the function writes them; all of them should have the
// same width.
func WithTimes(write func(time.Time) string) Option {
	return option(func(t *Trace) { t.when = write })
}
