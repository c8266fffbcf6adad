package deciding

import (
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Plan is what is to be done next. Its fields are carried out in their order; the first
// that fails ends it, and with it the attempt at the turn. The zero Plan is nothing to do.
type Plan struct {
	// Read is what must be read before anything can be decided. Then everything
	// else in the plan is empty.
	Read *Read
	// Told is said to the log and the observer, whatever becomes of the plan.
	Told []Saying
	// Again is what earlier commits asked for and may not have been sent.
	Again *Again
	// Inline is an inline activity to run; Run are arrivals to run, or to record. The
	// next decision takes the result of either.
	Inline *engine.InlineCall
	Run    *Run
	// Commit is what becomes durable, Dispatch what follows from its turns.
	Commit   *Commit
	Dispatch []dispatch.Commit
	// Send is sent by itself, because of no commit.
	Send Sending
	// Record is written to the record, or the histories, by itself.
	Record *Write
	// Settled are the messages of which nothing is left to be done.
	Settled []Settlement
	// Next is the execution with which the turn goes on after this one has ended.
	Next *Next
	// Over: the attempt has done all that it had to.
	Over bool
}

// empty reports whether there is nothing to do.
func (p *Plan) empty() bool {
	return p.Read == nil && p.Told == nil && p.Again == nil && p.Inline == nil && p.Run == nil && p.Commit == nil &&
		p.Send == (Sending{}) && p.Record == nil && len(p.Settled) == 0 && p.Next == nil && !p.Over
}

// Next is an execution that follows one that has ended.
type Next struct {
	// Events are its first ones, which continue-as-new has committed with the end of the
	// one before.
	Events []history.Event
	// Again is its number, where the start By begins the instance again; 0 otherwise.
	Again int64
	By    *inbox.Message
	// Redriven is what it takes over from the one before; nil where it begins from the
	// beginning.
	Redriven *Redriven
}

// Again is what is sent again.
type Again struct {
	Commits []dispatch.Commit
	// Since is when it was begun to be gathered.
	Since time.Time
}

// Run is a run of the execution.
type Run struct {
	Arrivals []engine.Arrival
	// Park records the arrivals, and runs no code.
	Park bool
}

// Commit is one conditional write: of the events of a turn, which may end its execution and
// begin the next one, and of a change of the record. Without events only the record is
// changed; without a change either, nothing is written.
type Commit struct {
	// Turns have no token yet.
	Turns  []store.Turn
	Change *store.RecordChange
	// TakesOver is how many events its first turn has taken over from another execution: where
	// no commit holds them, they are written ahead of it.
	TakesOver int
	// Mark that the change sets, moves or clears.
	Mark Mark
	// Insists: it holds what inline activities have done, which would be done again. So
	// it is tried as long as there is time.
	Insists bool
	// Logs are emitted when it is made.
	Logs []engine.Log
	// Cancelled are the scheduling events that it closes.
	Cancelled []int64
	// Outcome in a word, for the observer.
	Outcome string
}

// Mark is what a commit says of the mark of its instance.
type Mark struct {
	// Stuck is why the code could not go on in this run; empty where it could.
	Stuck engine.StuckKind
	// Problem that the instance is marked with from now on; nil for none. Moved: this
	// commit sets it, or moves it.
	Problem *store.Problem
	Moved   bool
	// Recovered is the mark that the commit clears.
	Recovered *store.Problem
	// Suspected: a new record has the suspect's mark.
	Suspected bool
}

// Sending is what is sent because of no commit; at most one of its fields is set.
type Sending struct {
	// Parents are told as what their child counts.
	Parents *Parents
	// Limits are messages about pending activities that come again when a time limit
	// may be over.
	Limits *Limits
	// Attempt is the next one of an activity, where no worker sends it.
	Attempt *Attempt
	// Beat is a sign of life of a pending activity.
	Beat *Beat
	// Deletion of the histories up to the execution of this record.
	Deletion *store.Record
	// Prune asks for the executions up to this one to be pruned; 0 for none.
	Prune int64
	// Untold are events about the instance that were written with its marks.
	Untold string
	// GoOn is the wake by which the turn goes on in another invocation.
	GoOn *wire.Item
}

// Parents are those who wait for an instance, and what they are told of it.
type Parents struct {
	Of   []*history.Parent
	Name string
	End  *history.Event
	// Chained: they are told in the chain of the turn, at this depth.
	Chained bool
	Depth   int
}

// Limits are messages about pending activities that are to come again when a time limit
// may be over.
type Limits struct {
	// Since is when the first of them was looked at.
	Since time.Time
	Items []wire.Item
	Dues  []time.Time
}

// Attempt is the next attempt of a pending or interrupted activity.
type Attempt struct {
	// Item is the work item of the attempt before.
	Item    wire.Item
	Failure *history.Failure
	EventID int64
	// Early is the id of the item if it does not wait for the delay of its retry; empty for
	// one that does.
	Early string
	// Message told of the failure. When the attempt is sent the message is settled, with
	// this outcome. One that no message can hold is the activity's failure, and the
	// message becomes that.
	Message *inbox.Message
	Outcome string
}

// Beat is what is known of a pending activity from now on.
type Beat struct {
	Key   store.ActivityKey
	Beat  store.Heartbeat
	Until time.Time
}

// Write changes what is stored of an instance, without a commit.
type Write struct {
	// Change of the record. Failed says in words what did not happen if it fails.
	Change *store.RecordChange
	Failed string
	// Hide makes a tombstone of the record, which holds the id until then.
	Hide time.Time
	// Problem that the change marks the instance with; nil where it does not.
	Problem *store.Problem
}

// Settlement is what becomes of a message of which nothing is left to be done: it is
// acknowledged, unless it goes somewhere.
type Settlement struct {
	Message *inbox.Message
	// Outcome in a word, for the observer.
	Outcome string
	// Dead moves it to a dead-letter queue.
	Dead *Dead
	// Round sends it round the delay queue.
	Round *Round
	// Becomes is the item that the message becomes in place of being settled.
	Becomes *wire.Item
	// Said is said when it is settled.
	Said *Saying
}

// Dead is why a message is a dead letter.
type Dead struct {
	Reason wire.Reason
	Text   string
}

// Round is how a message goes round the delay queue.
type Round struct {
	// Item that goes, when it is due.
	Item wire.Item
	Due  time.Time
	// Within a window the delay grows, and Item and Due are not given.
	Within time.Duration
}

// settle acknowledges a message, saying what became of it.
func (p *Plan) settle(m *inbox.Message, outcome string) {
	p.Settled = append(p.Settled, Settlement{Message: m, Outcome: outcome})
}

// settleSaying settles a message with a line of the log.
func (p *Plan) settleSaying(m *inbox.Message, outcome string, s Saying) {
	p.Settled = append(p.Settled, Settlement{Message: m, Outcome: outcome, Said: &s})
}

// deadLetter moves a message to its dead-letter queue.
func (p *Plan) deadLetter(m *inbox.Message, reason wire.Reason, text string) {
	p.Settled = append(p.Settled, Settlement{Message: m, Dead: &Dead{reason, text}})
}

// becomes has a message go on as another item.
func (p *Plan) becomes(m *inbox.Message, item wire.Item) {
	p.Settled = append(p.Settled, Settlement{Message: m, Becomes: &item})
}

func (p *Plan) tell(s Saying) { p.Told = append(p.Told, s) }
