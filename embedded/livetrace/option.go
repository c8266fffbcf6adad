package livetrace

import "time"

// Option is an option of New.
type Option func(*Trace)

// Colours says whether to colour the text. Default: if it goes to a terminal,
// NO_COLOR is not set (https://no-color.org) and TERM is not "dumb".
func Colours(on bool) Option {
	return func(t *Trace) { t.paint = paint(on) }
}

// Width is how many columns a line may have; what does not fit is cut, or
// wrapped where it is a sentence. Default, and if it is 0 or less: those that
// the terminal has at the time, and 116 where there is none. Less than 40 count
// as 40.
func Width(columns int) Option {
	return func(t *Trace) {
		if columns > 0 {
			t.width = func() int { return max(columns, narrowest) }
		}
	}
}

// Since shows times as what has passed since start, such as "+2.04s" or
// "+3d04h05m". Default: the time of day.
func Since(start time.Time) Option {
	return Times(func(at time.Time) string { return elapsed(at.Sub(start)) })
}

// Times shows times as the function writes them; all should be as wide as one
// another.
func Times(write func(time.Time) string) Option {
	return func(t *Trace) { t.when = write }
}
