package sqlite

import "time"

// Option is an option of [Open].
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	durability Level
	now        func() time.Time
	// vfs is the name of the file system that SQLite uses.
	vfs string
	// index has the bounds of the index of words.
	index indexed
}

// Level of durability says what has to have happened to a write before it counts
// as done.
type Level int

// The levels. With either, nothing is lost when the process is killed,
// and whatever is lost is the end of what was written: the database is never
// damaged and never contradicts itself.
const (
	// Full: the disk has it. When power fails nothing is lost that was
	// acknowledged: a start that has returned, a turn that activities were begun
	// for. Each group of writes waits for one fsync. The default.
	Full Level = iota
	// Normal: the operating system has it. When power fails, or the system
	// crashes, what was written last (up to some seconds, or 16 MB) may be lost,
	// acknowledged or not: instances go on from where they stood then, and
	// activities that ran since run again.
	Normal
)

// WithDurability says how durable an acknowledged write is; default [Full].
func WithDurability(l Level) Option {
	return option(func(o *options) { o.durability = l })
}

// WithClock gives the time by which records of activity workers expire; default
// [time.Now].
func WithClock(now func() time.Time) Option {
	return option(func(o *options) { o.now = now })
}
