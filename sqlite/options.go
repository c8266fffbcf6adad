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
	// index has the limits of the index of words.
	index indexed
}

// Level is the durability level: what must happen to a write before it is acknowledged.
type Level int

// The durability levels. With either, nothing is lost when the process is killed. After a power
// failure at most the last writes are lost; the database is never damaged or inconsistent.
const (
	// Full acknowledges a write when it is on the disk. If power fails, nothing that was
	// acknowledged is lost, such as a start that has returned, or a turn whose activities have
	// started. Each group of writes waits for one fsync. The default.
	Full Level = iota
	// Normal acknowledges a write when the operating system has it. If power fails or the system
	// crashes, the last writes (up to a few seconds, or 16 MB) may be lost, acknowledged or not.
	// Instances then continue from their state before these writes, and activities that ran since
	// then run again.
	Normal
)

// WithDurability sets how durable an acknowledged write is; default [Full].
func WithDurability(l Level) Option {
	return option(func(o *options) { o.durability = l })
}

// WithClock sets the clock by which records of activity workers expire; default [time.Now].
func WithClock(now func() time.Time) Option {
	return option(func(o *options) { o.now = now })
}
