package check

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// processNotes are the checker's notes on a process.
type processNotes struct {
	// listed are the records that it listed last, by instance.
	listed map[string]store.Record
	// shown is a reused buffer for the inspected data.
	shown []byte
}

func (w *checker) notesOf(p *world.Process) *processNotes {
	n, ok := p.Notes.(*processNotes)
	if !ok {
		n = &processNotes{}
		p.Notes = n
	}
	return n
}

// notes are the checker's notes on an invocation.
type notes struct {
	// lost are the instances for which a commit or change of it lost to another process.
	lost ledger.ByInstance[bool]
	// marked are the suspected poison messages that it has recorded, by instance.
	marked map[string]string
	// sent are the bodies that it has sent, if it received anything from a standard queue.
	sent []string
	// learned is the knowledge of activities of each of its strands, or of the invocation if it
	// has none; toCount are the stops of which it was notified and that it has not counted yet.
	learned map[any]*learned
	toCount int
	// shown is the number of faults, before it started, that make a message visible again.
	shown int
	// afterDays is set if its process was woken after a day or more by a message to a purged
	// instance.
	afterDays bool
	progress  progress
	// gone are the instances that its messages start and that were purged when the invocation
	// started. exist counts the starts for which it reported that their instances exist.
	gone  ledger.ByInstance[bool]
	exist int
	// origins are the executions that one of its messages forks, and how many events each had
	// when it started.
	origins map[ledger.Execution]int
	// refused is the number of messages whose facts were in a commit that was refused because it
	// was too large.
	refused ledger.ByInstance[int]
	// took are the indexes in its batch of the messages that it has recorded, in that order.
	took   ledger.ByInstance[[]int]
	waking waking
	// makes is the number of concurrent runs of an attempt.
	makes map[making]int
	// inline are the inline activities that it has run, if their execution was not committed.
	inline []inlineRun
	ahead  ahead
	// ranInline are the inline activities that it has attempted.
	ranInline map[store.ActivityKey]bool
	// asked are the delays that the errors of ending attempts requested.
	asked map[making]time.Duration
	// beats is when it last learned of a heartbeat of each activity.
	beats map[store.ActivityKey]time.Time
	// toGive are permits that it has to return, toCall the attempts that it has to call.
	toGive, toCall map[string]bool
}

// making is a running attempt. Its token distinguishes it from an attempt sent by a forger, and
// from one sent with an earlier key.
type making struct {
	token   string
	attempt int
}

func (w *checker) of(inv *world.Invocation) *notes {
	n, ok := inv.Notes.(*notes)
	if !ok {
		n = &notes{}
		inv.Notes = n
	}
	return n
}

// learned is a process's knowledge of activities.
type learned struct {
	// stops and notified are the activities asked to stop, as learned before an attempt and in the
	// answer to a heartbeat.
	stops, notified map[store.ActivityKey]bool
	// final are attempts that ended with an error after which none follows.
	final map[store.ActivityKey]int
}

// knows returns the knowledge of the running strand, or of the invocation if it has no strands,
// because two copies of a message do not share what they read.
func (w *checker) knows(inv *world.Invocation) *learned {
	n, at := w.of(inv), inv.Runs()
	k := n.learned[at]
	if k == nil {
		k = &learned{}
		note(&n.learned, at, k)
	}
	return k
}

// note writes into a map that is created on first use, because most invocations need few of
// theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
