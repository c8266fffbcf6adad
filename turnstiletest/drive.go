package turnstiletest

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queues"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// reached is the reason why drive returned.
type reached uint8

const (
	// done means that enough returned true.
	done reached = iota
	// rested means that nothing is left to do, now or later.
	rested
	// limited means that the next timer is after the limit.
	limited
)

// drive handles messages, and lets time pass whenever nothing can be done, until enough returns
// true or time would pass limit. The zero time means no limit.
func (e *Env) drive(call string, limit time.Time, enough func() bool) reached {
	e.t.Helper()
	if e.closed {
		e.t.Fatalf("turnstiletest: %s after the end of the test", call)
	}
	if e.driving {
		e.t.Fatalf("turnstiletest: %s inside a function given to After or AtTime, or in an activity: the environment is already running", call)
	}
	e.driving = true
	defer func() { e.driving = false }()
	worked := 0
	e.read = 0
	for {
		if enough() {
			return done
		}
		if e.step() {
			worked++
			e.checkEnd(call, worked)
			continue
		}
		stuck := e.checkStuck(call)
		next, more := e.clock.Next()
		switch {
		case !more, stuck && limit.IsZero() && e.onlySweeps():
			return rested
		case !limit.IsZero() && next.After(limit):
			return limited
		}
		e.clock.Fire(true)
	}
}

// eventsPerBatch is the maximum number of events that the batches of one call may read, on average.
// If each turn extends a history and reads it again, the time grows with the square of the
// history's length, and the test becomes too slow long before it reaches the limit of batches.
const eventsPerBatch = 100

// checkEnd fails the test if one call has handled so many batches that it seems to run without end.
func (e *Env) checkEnd(call string, worked int) {
	e.t.Helper()
	const advice = "use Advance for an endless loop"
	switch now := e.Now().Format(time.RFC3339); {
	case worked > e.opts.maxBatches:
		e.t.Fatalf("turnstiletest: %s: no end after %d batches of messages, virtual time is %s: %s, or allow more batches (WithMaxBatches)", call, e.opts.maxBatches, now, advice)
	case e.read > e.opts.maxBatches*eventsPerBatch:
		e.t.Fatalf("turnstiletest: %s: no end after %d batches of messages, virtual time is %s: their turns have read %d events, most recently of instance %q: %s, ContinueAsNew for a growing history, KeepWarm to read less, or allow more batches (WithMaxBatches)",
			call, worked, now, e.read, e.lastRead, advice)
	}
}

// step does one piece of work that can be done now. It returns false if all work has to wait.
func (e *Env) step() bool {
	e.t.Helper()
	ways := []func() bool{e.stepReturning, e.stepPaused, e.stepQueues}
	if e.shuffle != nil {
		e.shuffle.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
	}
	for _, way := range ways {
		if way() {
			return true
		}
	}
	return false
}

// stepPaused continues a task whose wait is over.
func (e *Env) stepPaused() bool {
	e.t.Helper()
	i := e.nextOver()
	if i < 0 {
		return false
	}
	t := e.paused[i]
	e.paused = slices.Delete(e.paused, i, i+1)
	e.proceed(t)
	return true
}

// stepReturning handles a batch that was already received.
func (e *Env) stepReturning() bool {
	e.t.Helper()
	if len(e.returning) == 0 {
		return false
	}
	i := 0
	if e.shuffle != nil {
		i = e.shuffle.IntN(len(e.returning))
	}
	t := e.returning[i]
	e.returning = slices.Delete(e.returning, i, i+1)
	e.handle(t)
	return true
}

// stepQueues receives and handles a batch. Attempts are handled one by one.
func (e *Env) stepQueues() bool {
	e.t.Helper()
	for _, s := range e.sources() {
		most := e.opts.batch
		switch {
		case e.shuffle != nil:
			most = 1 + e.shuffle.IntN(e.opts.batch)
		case s.Is == platform.SourceActivity:
			most = 1
		}
		batch, err := s.Queue.Receive(e.ctx, most, 0)
		if err != nil {
			e.t.Fatalf("turnstiletest: receiving: %v", err)
		}
		switch {
		case len(batch) == 0:
		case s.Is == platform.SourceActivity:
			for i := range batch {
				e.returning = append(e.returning, &task{env: e, from: s, batch: batch[i : i+1]})
			}
			return e.stepReturning()
		default:
			for _, part := range e.parts(batch) {
				e.returning = append(e.returning, &task{env: e, from: s, batch: part})
			}
			return e.stepReturning()
		}
	}
	return false
}

// parts splits received messages into the batches that the test has chosen. Messages of an instance
// stay together, in order.
func (e *Env) parts(batch []queue.Message) [][]queue.Message {
	if e.opts.together == nil {
		return [][]queue.Message{batch}
	}
	var names []string
	parts := map[string][]queue.Message{}
	for _, m := range batch {
		instance := m.Group
		if item, err := wire.Parse([]byte(m.Body)); err == nil {
			instance = item.Target()
		}
		name := e.opts.together(instance)
		if _, is := parts[name]; !is {
			names = append(names, name)
		}
		parts[name] = append(parts[name], m)
	}
	cut := make([][]queue.Message, len(names))
	for i, name := range names {
		cut[i] = parts[name]
	}
	return cut
}

// nextOver returns the index of the paused task that continues next, or -1 if none can continue.
func (e *Env) nextOver() int {
	var over []int
	for i, t := range e.paused {
		if t.waiting.over() {
			over = append(over, i)
		}
	}
	switch {
	case len(over) == 0:
		return -1
	case e.shuffle != nil:
		return over[e.shuffle.IntN(len(over))]
	}
	return over[0]
}

// sources returns the queues in the order in which they are read.
func (e *Env) sources() []queues.Source {
	s := e.queues.Sources()
	if e.shuffle != nil {
		e.shuffle.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	}
	return s
}

// Run lets the application work until the passing of time changes nothing more: every instance has
// ended, or waits for an event that was not raised. A stuck instance fails the test with its
// problem.
func (e *Env) Run() {
	e.t.Helper()
	e.drive("Run", time.Time{}, func() bool { return false })
	for _, r := range e.records("") {
		e.replayEnded("Run", r.Instance)
	}
}

// Advance lets d of virtual time pass, and handles everything that happens in that time. A stuck
// instance fails the test with its problem.
func (e *Env) Advance(d time.Duration) {
	e.t.Helper()
	to := e.Now().Add(d)
	e.drive(fmt.Sprintf("Advance(%s)", d), to, func() bool { return false })
	e.clock.Set(to)
}
