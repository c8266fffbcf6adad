package world

import (
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Request is a message of a client.
type Request struct {
	wire.Item
	// Aside: it goes to the delay queue, as messages of senders that can't set
	// a group do, and not before its instance's first turn. So it may be
	// handled beside others of its instance.
	Aside bool
}

// Allowance bounds the faults of a run.
type Allowance struct {
	// Crashes of a process: before or after the effect of a call, or with the
	// call landing at any later moment.
	Crashes int
	// Answers that are lost: the call took effect, never does, or lands at any
	// later moment; or it is throttled.
	Answers int
	// Duplicates: a batch becomes visible again while its process handles it.
	Duplicates int
}

// patience is how often time may pass before a build that does not work is
// replaced: wakes of a stuck instance would never end.
const patience = 1

// Limits are what a scope has and allows.
type Limits struct {
	// Allowance is what may go wrong in one run.
	Allowance Allowance
	// Cached: the processes keep warm instances. Without, an idle process is
	// as good as any other, and there are far fewer states.
	Cached bool
	// Workers: activities run in a process that is interleaved and may crash
	// like any other, and one process of each role runs. Otherwise an activity
	// runs and is answered in one go (see worker), and two orchestrators run.
	Workers bool
	// Scheduled: all timers go through the timer service, none through the
	// delay queue.
	Scheduled bool
	// StartsBroken: a build that does not work is deployed at first.
	StartsBroken bool
	// Messages are what clients send, in this order, each at any moment after
	// the one before.
	Messages []Request
}
