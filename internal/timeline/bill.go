package timeline

import (
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/store"
)

// Bill is the estimated cost of an instance so far, computed from its histories at list prices (package bill). It counts the requests that
// its turns and attempts make if nothing is retried. Children have bills of their own: a message is counted by its receiver.
type Bill struct {
	Dollars float64 `json:"dollars"`
	// Hypothetical is set if the instance does not run on AWS, so nothing is charged. The dollars are what AWS would charge for the same work.
	Hypothetical bool       `json:"hypothetical,omitempty"`
	Lines        []BillLine `json:"lines"`
	// LeftOut lists costs that the histories do not show, one sentence each.
	LeftOut []string `json:"left_out"`
}

// BillLine is the count of one priced item.
type BillLine struct {
	// Service charges for the item; What describes it.
	Service string `json:"service"`
	What    string `json:"what"`
	// Count is in units; Unit is their plural name.
	Count float64 `json:"count"`
	Unit  string  `json:"unit"`
	// DollarsAMillion is the price of a million units, Dollars the price of Count units.
	DollarsAMillion float64 `json:"dollars_a_million"`
	Dollars         float64 `json:"dollars"`
}

// ActivityMemoryMB is the assumed memory of an activity function: the default of the template.
const ActivityMemoryMB = 512

// longestAttempt is the longest Lambda invocation. An attempt that seems to have taken longer was waiting for a token, or for its
// completion to arrive.
const longestAttempt = 15 * time.Minute

// longestByQueue is the longest timer that uses the delay queue by default; a longer one uses a schedule.
const longestByQueue = 15 * time.Minute

// largestTransaction is the DynamoDB limit, in bytes. Whatever a redrive or a fork copies beyond it is written in advance, each part once.
const largestTransaction = 4 << 20

// Count estimates the bill of the executions of an instance. The turns are as stored, so that sizes are those of the stored payloads. t is
// their timeline.
func Count(t *Timeline, executions []Source) Bill {
	c := counter{}
	for i := range executions {
		c.execution(t.Instance, &executions[i])
	}
	for i := range t.Rows {
		c.row(&t.Rows[i])
	}
	return c.bill()
}

// counter counts what AWS charges for.
type counter struct {
	turns, events int
	writeUnits    float64
	readUnits     float64
	// Incoming messages by the kind of their queue, and attempts.
	fifo, delayed, attempts int
	schedules               int
	gbSeconds               float64
	activities              float64 // write units of the activities table
	forks                   float64 // write units of the records of originals
	answers, answerReads    float64 // write units and read units of the answers to updates
	suspended, startedAt    bool    // the instance, after the turns that were counted
	unknownTurns            bool
	// ran counts the attempts whose duration is known.
	ran int
}

func (c *counter) execution(instance string, s *Source) {
	c.unknownTurns = c.unknownTurns || !s.Known
	timers := map[int64]*history.Event{}
	for i := range s.Turns {
		turn := &s.Turns[i]
		if len(turn.Events) == 0 {
			continue
		}
		c.turns++
		c.events += len(turn.Events)
		c.writeUnits += c.commit(instance, s, turn)
		if first := &turn.Events[0]; first.Start != nil && first.Start.Origin != nil && first.Start.Origin.Instance != instance {
			c.forks += writeUnits(recordSize(first.Start.Origin.Instance, first, nil))
		}
		c.startedAt = true
		for j := range turn.Events {
			e := &turn.Events[j]
			if e.Kind == history.TimerCreated {
				timers[e.EventID] = e
			}
			c.arrival(turn, e, j, turn.Events[0].Kind == history.OrchestrationStarted, timers)
		}
		c.answer(instance, s, turn)
	}
}

// answer counts the reads and the writes of the answers to updates: a read for each request, and a write for each update that the turn
// decided about or answered.
func (c *counter) answer(instance string, s *Source, turn *store.Turn) {
	last := map[int64]*history.Event{}
	for i := range turn.Events {
		e := &turn.Events[i]
		if _, update := e.Update(); !update {
			continue
		}
		if e.Kind != history.ExternalEvent {
			last[e.SourceEventID] = e
		} else if i == 0 || turn.Events[0].Kind != history.OrchestrationStarted {
			c.answerReads++
		}
	}
	for _, e := range last {
		c.answers += writeUnits(bill.AnswerSize(&store.Answer{AnswerKey: store.AnswerKey{Instance: instance, ID: e.SenderID}, ExecutionID: s.ExecutionID, Event: *e}))
	}
}

// commit returns the write units of a turn. It is a transaction, which costs twice as much, if the record changes too or if it writes to
// two executions.
func (c *counter) commit(instance string, s *Source, turn *store.Turn) float64 {
	size := bill.TurnSize(turn)
	units, ahead := writeUnits(size), 0.0
	first, last := &turn.Events[0], &turn.Events[len(turn.Events)-1]
	starts := first.Kind == history.OrchestrationStarted
	continued := starts && !turn.Messaged && s.Known && s.ExecutionID > 1
	was := c.suspended
	c.suspended = suspendedBy(turn, was && !starts)
	suspends := c.suspended != was
	switch {
	case continued:
		// The record changes together with the end of the previous execution.
	case starts:
		c.readUnits++
		if size > largestTransaction && first.Start != nil && first.Start.Origin != nil {
			units, ahead = 0, units
		}
		units += writeUnits(recordSize(instance, first, last)) + 3 // and its entries in three indexes
		if c.startedAt {
			units += 3 // a restart removes the index entries of the previous run
		}
	case last.Kind == history.OrchestrationContinuedAsNew:
		units += writeUnits(recordSize(instance, first, nil))
	case last.Kind.Terminal():
		units += writeUnits(recordSize(instance, first, last)) + 2 // its entry in the index of statuses moves
	case suspends:
		units += writeUnits(recordSize(instance, first, nil)) + 2
		c.readUnits++
	}
	if starts || last.Kind.Terminal() || suspends {
		return 2*units + ahead
	}
	return units
}

// suspendedBy reports whether an instance is suspended after a turn; was is the state before it.
func suspendedBy(turn *store.Turn, was bool) bool {
	for i := range turn.Events {
		switch k := turn.Events[i].Kind; {
		case k == history.OrchestrationSuspended:
			was = true
		case k == history.OrchestrationResumed, k.Terminal():
			was = false
		}
	}
	return was
}

// arrival counts the message that delivered an event, if a message did.
func (c *counter) arrival(turn *store.Turn, e *history.Event, at int, starts bool, timers map[int64]*history.Event) {
	switch {
	case !e.Kind.Arrival():
	case e.Kind == history.TimerFired:
		t := timers[e.SourceEventID]
		if t != nil && byQueue(t) {
			c.delayed++
			c.fifo++ // The handler of the delay queue forwards it.
			return
		}
		c.schedules++
		c.fifo++
	case e.Kind == history.ActivityCompleted, e.Kind == history.ActivityFailed:
		// It is counted with its row, which knows whether it ran inside the turn.
	case starts && at > 0 && e.Kind == history.ExternalEvent:
		// It came with the start, or was carried over.
	case e.Kind == history.OrchestrationStarted && !turn.Messaged && turn.ExecutionID > 1:
	default:
		c.fifo++
	}
}

// byQueue reports whether a timer uses the delay queue by default.
func byQueue(t *history.Event) bool {
	return time.Duration(t.FireAtMS-t.AtMS)*time.Millisecond <= longestByQueue
}

func (c *counter) row(r *Row) {
	switch r.Kind {
	case KindTimer:
		if r.State == StateOpen && r.DueAt.Sub(r.ScheduledAt) <= longestByQueue {
			c.delayed++ // It is on its way.
		}
	case KindActivity:
		if r.CancelledBy != 0 && len(r.Spans) == 1 {
			return // An operation that the same turn schedules and cancels is never sent.
		}
		n := max(r.Attempt, 1)
		c.attempts += n
		c.readUnits += float64(n - 1)  // checks whether it was asked to stop; the first attempt does not check if it starts soon
		c.activities += float64(n - 1) // the record of the next attempt
		if r.CancelledBy != 0 || r.State == StateClosed {
			c.activities++ // the request to stop
		}
		if r.CompletedBy != 0 {
			c.fifo++
		}
		for _, s := range r.Spans {
			if s.Doing == DoingRun && !s.To.IsZero() {
				c.ran++
				c.gbSeconds += min(s.To.Sub(s.From), longestAttempt).Seconds() * ActivityMemoryMB / 1024
			}
		}
	}
}

func (c *counter) bill() Bill {
	b := Bill{Lines: []BillLine{}}
	add := func(service, what string, count float64, unit string, price float64) {
		if count == 0 {
			return
		}
		line := BillLine{Service: service, What: what, Count: count, Unit: unit, DollarsAMillion: price, Dollars: count * price / 1e6}
		b.Lines, b.Dollars = append(b.Lines, line), b.Dollars+line.Dollars
	}
	add("DynamoDB", "a conditional write for each of "+counted(c.turns, "turn")+", "+counted(c.events, "event")+" in all; the record with the start and the end, in a transaction", c.writeUnits, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "a note of the fork in the record of the original", c.forks, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "stop requests to activities, and notes of failed attempts", c.activities, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "a read for stop requests before each retry, and one at the start", c.readUnits, "read units", bill.ReadUnits.Price())
	add("DynamoDB", "the answers to updates", c.answers, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "a read of the answer before an update is decided about", c.answerReads, "read units", bill.ReadUnits.Price())
	add("SQS", "send, receive and delete of "+counted(c.fifo, "message")+" to the instance", 3*float64(c.fifo), "FIFO requests", bill.FIFO.Price())
	add("SQS", "send, receive and delete of "+counted(c.delayed, "short timer"), 3*float64(c.delayed), "standard requests", bill.Standard.Price())
	add("SQS", "send, receive and delete of "+counted(c.attempts, "attempt"), 3*float64(c.attempts), "standard requests", bill.Standard.Price())
	add("EventBridge Scheduler", "timers longer than "+strconv.Itoa(int(longestByQueue.Minutes()))+" minutes", float64(c.schedules), "invocations", bill.Schedules.Price())
	add("Lambda", "one invocation per message and attempt", float64(c.fifo+c.delayed+c.attempts), "invocations", bill.Invocations.Price())
	add("Lambda", counted(c.ran, "attempt")+" with a known duration, at "+strconv.Itoa(ActivityMemoryMB)+" MB on arm64", c.gbSeconds, "GB-seconds", bill.GBSeconds.Price())
	b.LeftOut = []string{
		"The savings of batches: messages and attempts that share an invocation or a request are counted as if each had its own.",
		"The run time of the orchestrator's turns, and of failed attempts that were retried.",
		"Reads of the history by processes that did not have it in memory.",
		"Changes of states and of search attributes, at least two write units each.",
		"Heartbeats, claims of at-most-once attempts, redeliveries, retried requests and stuck turns.",
		bill.Monthly(),
		"Services that your code calls, logs, encryption keys, storage, and reads by callers of updates, by the console and the command line.",
	}
	if c.unknownTurns {
		b.LeftOut = append(b.LeftOut, "Batching of turns: an exported history does not have its turns, so each incoming event is counted as one.")
	}
	return b
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// recordSize returns the approximate size of an instance record, in bytes.
func recordSize(instance string, first, last *history.Event) int {
	const rest = 400 // names of attributes, times, keys of indexes
	n := rest + 4*len(instance) + 2*len(first.Name)
	if last != nil {
		n += bill.StoredSize(last.Payload)
		if f := last.Failure; f != nil {
			n += len(f.Message) + len(f.Stack) + len(f.Details)
		}
	}
	return n
}

func writeUnits(size int) float64 { return float64(max((size+1023)/1024, 1)) }
