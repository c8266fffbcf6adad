package livetrace

import "time"

// Option is an option of [New].
type Option interface{ apply(*Trace) }

type option func(*Trace)

func (f option) apply(t *Trace) { f(t) }

// WithColours sets whether the text is coloured. By default it is if it is written to a terminal,
// NO_COLOR is not set (https://no-color.org) and TERM is not "dumb".
func WithColours(on bool) Option {
	return option(func(t *Trace) { t.paint = paint(on) })
}

// WithWidth sets the maximum number of columns of a line. Longer lines are cut, and longer
// sentences wrapped. By default, and for 0 or less, it is the current width of the terminal, or 116
// without a terminal. Numbers below 40 count as 40.
func WithWidth(columns int) Option {
	return option(func(t *Trace) {
		if columns > 0 {
			t.width = func() int { return max(columns, narrowest) }
		}
	})
}

// WithStart shows times as the duration since start, such as "+2.04s" or "+3d04h05m". By default
// they are times of day.
func WithStart(start time.Time) Option {
	return WithTimes(func(at time.Time) string { return elapsed(at.Sub(start)) })
}

// WithTimes shows times as the function formats them; all should have the same width.
func WithTimes(write func(time.Time) string) Option {
	return option(func(t *Trace) { t.when = write })
}
