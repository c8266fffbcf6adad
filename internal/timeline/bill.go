package timeline

import (
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/store"
)

// Bill is what an instance has cost so far, estimated from its histories: at
// list prices (package bill), of the requests that its turns and attempts made where
// nothing had to be repeated. Its children have bills of their own: a message is
// counted where it arrives.
type Bill struct {
	Lines   []BillLine
	Dollars float64
	// LeftOut says what the histories do not tell, a sentence each.
	LeftOut []string
}

// BillLine is a count of one thing that has a price.
type BillLine struct {
	// Service that charges for it, and what it is, in words.
	Service, What string
	// Count of units, and their name in the plural.
	Count float64
	Unit  string
	// DollarsAMillion units, and what these cost.
	DollarsAMillion, Dollars float64
}

// ActivityMemoryMB is the memory that an activity function is taken to have: the
// default of the template.
const ActivityMemoryMB = 512

// longestAttempt is what Lambda lets an invocation take. What seems to have taken
// longer was waiting: for a token, or for its completion to arrive.
const longestAttempt = 15 * time.Minute

// longestByQueue is up to when a timer goes through the delay queue by default;
// a longer one takes a schedule.
const longestByQueue = 15 * time.Minute

// largestTransaction of DynamoDB, in bytes. What a redrive or a fork takes over beyond that is
// written ahead of it, each part once.
const largestTransaction = 4 << 20

// Count estimates the bill of the executions of an instance, the turns as they
// are stored: sizes are those of their payloads there. t is their timeline.
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

// counter counts what is charged for.
type counter struct {
	turns, events int
	writeUnits    float64
	readUnits     float64
	// messages that came in, by the kind of their queue, and attempts.
	fifo, delayed, attempts int
	schedules               int
	gbSeconds               float64
	activities              float64 // write units of the activities table
	forks                   float64 // write units of the records of originals
	suspended, began        bool    // the instance, after the turns that were counted
	unknownTurns            bool
	// ran are attempts of which the duration is known.
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
		c.began = true
		for j := range turn.Events {
			e := &turn.Events[j]
			if e.Kind == history.TimerCreated {
				timers[e.EventID] = e
			}
			c.arrival(turn, e, j, turn.Events[0].Kind == history.OrchestrationStarted, timers)
		}
	}
}

// commit returns the write units of a turn: a transaction, which costs twice as
// much, where the record changes too or two executions meet.
func (c *counter) commit(instance string, s *Source, turn *store.Turn) float64 {
	size := bill.TurnSize(turn)
	units, ahead := writeUnits(size), 0.0
	first, last := &turn.Events[0], &turn.Events[len(turn.Events)-1]
	begins := first.Kind == history.OrchestrationStarted
	continued := begins && !turn.Messaged && s.Known && s.ExecutionID > 1
	was := c.suspended
	c.suspended = suspendedBy(turn, was && !begins)
	suspends := c.suspended != was
	switch {
	case continued:
		// The record changes with the end of the one before.
	case begins:
		c.readUnits++
		if size > largestTransaction && first.Start != nil && first.Start.Origin != nil {
			units, ahead = 0, units
		}
		units += writeUnits(recordSize(instance, first, last)) + 3 // and its entries in three indexes
		if c.began {
			units += 3 // It begins again: those of the run before go.
		}
	case last.Kind == history.OrchestrationContinuedAsNew:
		units += writeUnits(recordSize(instance, first, nil))
	case last.Kind.Terminal():
		units += writeUnits(recordSize(instance, first, last)) + 2 // its entry in the index of statuses moves
	case suspends:
		units += writeUnits(recordSize(instance, first, nil)) + 2
		c.readUnits++
	}
	if begins || last.Kind.Terminal() || suspends {
		return 2*units + ahead
	}
	return units
}

// suspendedBy reports whether an instance is suspended after a turn; was: before it.
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

// arrival counts the message that brought an event, if one did.
func (c *counter) arrival(turn *store.Turn, e *history.Event, at int, begins bool, timers map[int64]*history.Event) {
	switch {
	case !e.Kind.Arrival():
	case e.Kind == history.TimerFired:
		t := timers[e.SourceEventID]
		if t != nil && byQueue(t) {
			c.delayed++
			c.fifo++ // The delay queue's handler sends it on.
			return
		}
		c.schedules++
		c.fifo++
	case e.Kind == history.ActivityCompleted, e.Kind == history.ActivityFailed:
		// Counted with its row, which knows whether it ran inside the turn.
	case begins && at > 0 && e.Kind == history.ExternalEvent:
		// It came with the start, or was carried over.
	case e.Kind == history.OrchestrationStarted && !turn.Messaged && turn.ExecutionID > 1:
	default:
		c.fifo++
	}
}

// byQueue reports whether a timer goes through the delay queue by default.
func byQueue(t *history.Event) bool {
	return time.Duration(t.FireAtMS-t.AtMS)*time.Millisecond <= longestByQueue
}

func (c *counter) row(r *Row) {
	switch r.Kind {
	case KindTimer:
		if r.State == StateOpen && r.DueAt.Sub(r.ScheduledAt) <= longestByQueue {
			c.delayed++ // It is under way.
		}
	case KindActivity:
		if r.CancelledBy != 0 && len(r.Spans) == 1 {
			return // What one turn schedules and cancels is never sent.
		}
		n := max(r.Attempt, 1)
		c.attempts += n
		c.readUnits += float64(n - 1)  // whether it is to stop; the first, begun soon, does not look
		c.activities += float64(n - 1) // the next attempt, noted
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
	var b Bill
	add := func(service, what string, count float64, unit string, price float64) {
		if count == 0 {
			return
		}
		line := BillLine{Service: service, What: what, Count: count, Unit: unit, DollarsAMillion: price, Dollars: count * price / 1e6}
		b.Lines, b.Dollars = append(b.Lines, line), b.Dollars+line.Dollars
	}
	add("DynamoDB", "a conditional write for each of "+counted(c.turns, "turn")+", "+counted(c.events, "event")+" in all; the record with the start and the end, in a transaction", c.writeUnits, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "the fork, noted in the record of its original", c.forks, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "requests to stop activities, and attempts that follow others, noted", c.activities, "write units", bill.WriteUnits.Price())
	add("DynamoDB", "the look before each further attempt whether it is to stop, and the start's", c.readUnits, "read units", bill.ReadUnits.Price())
	add("SQS", "send, receive and delete of "+counted(c.fifo, "message")+" that came to the instance", 3*float64(c.fifo), "FIFO requests", bill.FIFO.Price())
	add("SQS", "send, receive and delete of "+counted(c.delayed, "short timer"), 3*float64(c.delayed), "standard requests", bill.Standard.Price())
	add("SQS", "send, receive and delete of "+counted(c.attempts, "attempt"), 3*float64(c.attempts), "standard requests", bill.Standard.Price())
	add("EventBridge Scheduler", "timers over "+strconv.Itoa(int(longestByQueue.Minutes()))+" minutes", float64(c.schedules), "invocations", bill.Schedules.Price())
	add("Lambda", "an invocation for each message and attempt", float64(c.fifo+c.delayed+c.attempts), "invocations", bill.Invocations.Price())
	add("Lambda", counted(c.ran, "attempt")+" of which the duration is known, with "+strconv.Itoa(ActivityMemoryMB)+" MB on arm64", c.gbSeconds, "GB-seconds", bill.GBSeconds.Price())
	b.LeftOut = []string{
		"What batches save: messages and attempts that shared an invocation or a request are counted as if each had its own.",
		"The duration of the orchestrator's turns, and of attempts that failed and were followed by another.",
		"Reads of the history by processes that did not have it in memory.",
		"Changes of the custom status and of search attributes, about two write units each and more.",
		"Heartbeats, claims of attempts that run at most once, redeliveries, repeated requests, stuck turns.",
		bill.Monthly(),
		"What code itself calls, logs, encryption keys, storage, and looking.",
	}
	if c.unknownTurns {
		b.LeftOut = append(b.LeftOut, "Turns are not known of an exported history: each arrival is counted as one.")
	}
	return b
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// recordSize is about how large an instance record is.
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
