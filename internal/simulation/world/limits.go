package world

import (
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Request is a message of a client.
type Request struct {
	wire.Item
	// Aside is set if the message goes to the delay queue, as messages of senders that cannot set a
	// group do, and not before its instance's first turn. It may therefore be handled concurrently
	// with other messages of its instance.
	Aside bool
}

// Allowance limits the faults of a run.
type Allowance struct {
	// Crashes of a process: before or after the effect of a call, or with the call landing
	// at any later moment.
	Crashes int
	// Answers that are lost: the call took effect, never does, or lands at any later
	// moment; or it is throttled.
	Answers int
	// Duplicates are batches that become visible again while their process handles them.
	Duplicates int
}

// patience is the number of times that time may pass before a build that does not work is replaced;
// otherwise the wakes of a stuck instance would never end.
const patience = 1

// Limits describe the contents of a scope and what may happen in it.
type Limits struct {
	// Allowance is what may go wrong in one run.
	Allowance Allowance
	// Cached is set if the processes keep warm instances. Without it all idle processes are
	// equivalent, and there are far fewer states.
	Cached bool
	// Workers is set if activities run in a process that is interleaved and may crash like any
	// other, and there is one process of each role. Otherwise an activity runs and is answered in
	// one step (see worker), and there are two orchestrators.
	Workers bool
	// Scheduled is set if all timers use the timer service, and none the delay queue.
	Scheduled bool
	// StartsBroken is set if the first deployed build does not work.
	StartsBroken bool
	// Messages are what clients send, in this order; each may be sent at any moment after
	// the previous one.
	Messages []Request
}
