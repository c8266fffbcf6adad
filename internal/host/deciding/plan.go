package deciding

import (
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Plan is the next step of a turn. Its fields are carried out in order; the first failure ends the
// plan and the attempt at the turn. The zero Plan means nothing to do.
type Plan struct {
	// Read must be carried out before anything can be decided. If it is set, the rest of the plan
	// is empty.
	Read *Read
	// Reports is written to the log and the observer, even if the rest of the plan fails.
	Reports []Report
	// Again has earlier commits whose messages may not have been sent.
	Again *Again
	// Inline is an inline activity to run. Run has arrivals to run or to record, after the result of
	// the activity if there is one. The next decision uses the result.
	Inline *engine.InlineCall
	Run    *Run
	// Commit becomes durable; Dispatch has the commits whose messages are then sent.
	Commit   *Commit
	Dispatch []dispatch.Commit
	// Send has messages that belong to no commit.
	Send Sending
	// Record is a separate write to the record or the histories.
	Record *Write
	// Settled are the messages whose handling is complete.
	Settled []Settlement
	// Next is the execution with which the turn continues after this one has ended.
	Next *Next
	// Over is set if the attempt is complete.
	Over bool
}

// Next is an execution that follows one that has ended.
type Next struct {
	// Events are the first events of the execution, which continue-as-new has committed with the
	// end of the previous execution.
	Events []history.Event
	// Again is the number of the execution if the start By restarts or redrives the instance; 0
	// otherwise.
	Again int64
	By    *inbox.Message
	// Redriven has the events that the execution copies from the previous one; nil if it starts
	// from the beginning. Of is the record of the forked instance; nil for a redrive, and for the
	// child of a fork that starts from the beginning.
	Redriven *redriving.Plan
	Of       *store.Record
}

// Again has commits to send again.
type Again struct {
	Commits []dispatch.Commit
	// Since is when gathering them started.
	Since time.Time
}

// Run is a run of the execution.
type Run struct {
	Arrivals []engine.Arrival
	// Park records the arrivals without running code.
	Park bool
}

// Commit is one conditional write of the events of a turn, which may end its execution and start
// the next one, and of a change of the record. Without events only the record is changed; without a
// change either, nothing is written.
type Commit struct {
	// Turns have no token yet.
	Turns  []store.Turn
	Change *store.RecordChange
	// Answers are the last events about the updates that the execution has decided, as far as a
	// different process has recorded them. They are put before a commit that continues as new.
	Answers []history.Event
	// TakesOver is the number of events that the first turn has copied from another execution. If
	// no commit can hold these events, they are written in advance.
	TakesOver int
	// Mark is the effect of the change on the instance's problem.
	Mark Mark
	// Insists is set if the commit has results of inline activities. Without the commit these
	// activities would run again, so the write is retried as long as there is time.
	Insists bool
	// Logs are emitted after the commit is made.
	Logs []engine.Log
	// Cancelled are the scheduling events that the commit closes.
	Cancelled []int64
	// Outcome in one word, for the observer.
	Outcome string
}

// Mark is the effect of a commit on the problem of its instance.
type Mark struct {
	// Stuck is why the code could not continue in this run; empty if it could.
	Stuck engine.StuckKind
	// Problem that the instance has from now on; nil for none. Moved is set if this commit sets or
	// moves it.
	Problem *store.Problem
	Moved   bool
	// Recovered is the problem that the commit clears.
	Recovered *store.Problem
	// Suspected is set if the new record has the mark of a suspected message.
	Suspected bool
}

// Sending has messages that belong to no commit; at most one of its fields is set.
type Sending struct {
	// Parents are notified of the end of their child.
	Parents *Parents
	// Limits are messages about pending activities that are sent again for the time when a time limit
	// may be over.
	Limits *Limits
	// Attempt is the next attempt of an activity if no worker sends it.
	Attempt *Attempt
	// Beat is a heartbeat of a pending activity.
	Beat *Beat
	// Deletion of the histories up to the execution of this record.
	Deletion *store.Record
	// Prune is the last execution to prune; 0 for none.
	Prune int64
	// Unreported are unreported instance events that were written with problems.
	Unreported string
	// Reply answers an update that is not recorded.
	Reply *Reply
	// Continue is the wake with which another invocation continues the turn.
	Continue *wire.Item
}

// Reply is the answer to an update that is not recorded. It is sent to the instance that sent the update,
// if one did, and is put for a caller if StartID, the id of the start of the run, is set.
type Reply struct {
	Event   history.Event
	StartID string
}

// Parents has the parents that wait for an instance, and the end that is reported to them.
type Parents struct {
	Of   []*history.Parent
	Name string
	End  *history.Event
	// Chained is set if the notification belongs to the chain of the turn, at this depth.
	Chained bool
	Depth   int
}

// Limits are messages about pending activities that are sent again for the time when a time limit
// may be over.
type Limits struct {
	// Since is when the first of them was handled.
	Since time.Time
	Items []wire.Item
	Dues  []time.Time
}

// Attempt is the next attempt of a pending or interrupted activity.
type Attempt struct {
	// Item is the work item of the previous attempt.
	Item    wire.Item
	Failure *history.Failure
	EventID int64
	// Early is the id of the item if the attempt does not wait for its retry delay; empty if it
	// does. The item gets a token for the event, which was recorded at RecordedAtMS.
	Early        string
	RecordedAtMS int64
	// Message is the message that reported the failure. After the attempt is sent, the message is
	// settled with Outcome. If the attempt does not fit into a message, the activity fails for that
	// reason, and Message becomes the failure.
	Message *inbox.Message
	Outcome string
}

// Beat is a heartbeat to store for a pending activity.
type Beat struct {
	Key   store.ActivityKey
	Beat  store.Heartbeat
	Until time.Time
}

// Write changes the stored state of an instance without a commit.
type Write struct {
	// Change of the record. Failed is the error text if the write fails.
	Change *store.RecordChange
	Failed string
	// Hide turns the record into a tombstone, which reserves the id until this time.
	Hide time.Time
	// Problem that the change gives the instance; nil if it gives none.
	Problem *store.Problem
}

// Settlement completes the handling of a message: the message is acknowledged, unless it is moved
// or requeued.
type Settlement struct {
	Message *inbox.Message
	// Outcome in one word, for the observer.
	Outcome string
	// Dead moves the message to a dead-letter queue.
	Dead *Dead
	// Requeue requeues the message through the delay queue.
	Requeue *Requeue
	// Becomes is the item that the message becomes, instead of being settled.
	Becomes *wire.Item
	// Report is logged when the message is settled.
	Report *Report
}

// Dead is why a message is a dead letter.
type Dead struct {
	Reason wire.Reason
	Text   string
}

// Requeue is how a message is requeued through the delay queue.
type Requeue struct {
	// Item to send, when it is due.
	Item wire.Item
	Due  time.Time
	// Within is the window for a requeue with a growing delay. If it is set, Item and Due are not
	// used.
	Within time.Duration
}

// empty reports whether there is nothing to do.
func (p *Plan) empty() bool {
	return p.Read == nil && p.Reports == nil && p.Again == nil && p.Inline == nil && p.Run == nil && p.Commit == nil &&
		p.Send == (Sending{}) && p.Record == nil && len(p.Settled) == 0 && p.Next == nil && !p.Over
}

// add adds the settlements of another plan.
func (p *Plan) add(other Plan) {
	if p.Settled == nil {
		p.Settled = other.Settled // The usual case, which allocates nothing.
		return
	}
	p.Settled = append(p.Settled, other.Settled...)
}

func settlement(s Settlement) Plan { return Plan{Settled: []Settlement{s}} }

// settle acknowledges a message with an outcome.
func settle(m *inbox.Message, outcome string) Plan {
	return settlement(Settlement{Message: m, Outcome: outcome})
}

// settleReporting settles a message and logs a line.
func settleReporting(m *inbox.Message, outcome string, s Report) Plan {
	return settlement(Settlement{Message: m, Outcome: outcome, Report: &s})
}

// deadLetter moves a message to its dead-letter queue.
func deadLetter(m *inbox.Message, reason wire.Reason, text string) Plan {
	return settlement(Settlement{Message: m, Dead: &Dead{reason, text}})
}

// become replaces a message by another item, which the turn then handles.
func become(m *inbox.Message, item wire.Item) Plan {
	return settlement(Settlement{Message: m, Becomes: &item})
}
