package check

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// processNotes are what the checker keeps of a process.
type processNotes struct {
	// listed are the records that it has listed last, by instance.
	listed map[string]store.Record
	// shown is room for what is looked at.
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

// notes are what the checker keeps of an invocation.
type notes struct {
	// lost are the instances of which it has lost a commit or a change.
	lost ledger.ByInstance[bool]
	// marked are the suspects' marks that it has set, by instance.
	marked map[string]string
	// sent are the bodies of what it has sent, if a standard queue brought it
	// anything.
	sent []string
	// learned is what each of its strands knows of activities, and what it knows
	// itself where it has none; toCount of the stops that it was told of are not
	// counted yet.
	learned map[any]*learned
	toCount int
	// shown is how many faults there were until it began by which a message
	// comes back.
	shown int
	// afterDays: its process woke after a day or more for a message to an
	// instance that was purged.
	afterDays bool
	progress  progress
	// gone are the instances that one of its messages is to start and that were purged
	// when it began, exist how many starts it told of that their instances exist.
	gone  ledger.ByInstance[bool]
	exist int
	// origins are the executions that one of its messages is to fork, and how many events each
	// had when it began.
	origins map[ledger.Execution]int
	// refused is how many messages' facts a commit had that was refused for want of room.
	refused ledger.ByInstance[int]
	// took are the places in its batch of the messages that it has recorded, in that order.
	took   ledger.ByInstance[[]int]
	waking waking
	// makes is how often it makes an attempt at the same time.
	makes map[making]int
	// inline are the inline activities that it has run, where their execution was not committed.
	inline []inlineRun
	ahead  ahead
	// ranInline are the inline activities of which it has made an attempt.
	ranInline map[store.ActivityKey]bool
	// asked are the delays that the errors of attempts which end have asked for.
	asked map[making]time.Duration
	// beats is when it was told that activities had given a heartbeat last.
	beats map[store.ActivityKey]time.Time
	// toGive are permits that it has to give back, toCall the attempts that it has to call.
	toGive, toCall map[string]bool
}

// making is an attempt that is made. Its token tells it from one that a forger has
// sent, and from one that was sent under an earlier key.
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

// learned is what was learned of activities.
type learned struct {
	// stops and told are the activities asked to stop, as heard before an
	// attempt and in the answer to a heartbeat.
	stops, told map[store.ActivityKey]bool
	// final are attempts that ended with an error after which none follows.
	final map[store.ActivityKey]int
}

// knows is what the strand that runs has learned, or the invocation without any:
// of two copies of a message one knows nothing of the other.
func (w *checker) knows(inv *world.Invocation) *learned {
	n, at := w.of(inv), inv.Runs()
	k := n.learned[at]
	if k == nil {
		k = &learned{}
		note(&n.learned, at, k)
	}
	return k
}

// note writes into a map that is made when it is needed: most invocations need
// few of theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
