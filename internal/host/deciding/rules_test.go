package deciding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Each rule of docs/internal/protocol.md that this package implements is a row: what is stored,
// which messages arrive, and the resulting plans in words.

// instanceA waits for the event "go", runs the activity Step, and ends.
func instanceA(ctx *engine.Context, in []byte) ([]byte, error) {
	if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
		return nil, err
	}
	return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
}

func panics(*engine.Context, []byte) ([]byte, error) { panic("broken") }

// The tests run an hour after the start of the instance; its turns were committed in the minutes
// before.
var (
	startedAt = time.UnixMilli(1_900_000_000_000).UTC()
	now       = startedAt.Add(time.Hour)
)

func at(minutesAgo float64) time.Time {
	return now.Add(-time.Duration(minutesAgo * float64(time.Minute)))
}

// stored is the state that a row starts with.
type stored struct {
	turns  []store.Turn
	record *store.Record
}

// started waits for its event; scheduled received it some minutes ago, and waits for the activity;
// done has ended.
func started() stored {
	return stored{
		turns: []store.Turn{turnOf(1, startedAt,
			history.Event{Kind: history.OrchestrationStarted, Name: "Main", Payload: []byte("1"), Start: &history.Start{StartID: "s"}},
			history.Event{Kind: history.ExternalSubscribed, Name: "go"})},
		record: &store.Record{Instance: "a", ExecutionID: 1, Name: "Main", Status: store.StatusRunning, StartID: "s", CreatedAt: startedAt, UpdatedAt: startedAt},
	}
}

func scheduled(minutesAgo float64) stored {
	s := started()
	s.turns = append(s.turns, turnOf(3, at(minutesAgo),
		history.Event{Kind: history.ExternalEvent, Name: "go", Payload: []byte("1"), SenderID: "e"},
		history.Event{Kind: history.ActivityScheduled, Name: "Step", Payload: []byte("1")}))
	return s
}

func done(minutesAgo float64) stored {
	s := scheduled(20)
	s.turns = append(s.turns, turnOf(5, at(minutesAgo),
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 4, Payload: []byte("1")},
		history.Event{Kind: history.OrchestrationCompleted, Payload: []byte("1")}))
	s.record.Status, s.record.EndedAt, s.record.Output = store.StatusCompleted, at(minutesAgo), []byte("1")
	return s
}

// then adds an event that has no effect.
func (s stored) then(id int64) stored {
	s.turns = append(s.turns, turnOf(id, at(10), history.Event{Kind: history.ExternalEvent, Name: "other", Payload: []byte("1"), SenderID: "o"}))
	return s
}

// stuck adds a mark.
func (s stored) stuck(kind string, stamp int64, wake string) stored {
	s.record.Problem, s.record.Stamp = &store.Problem{Kind: kind, Message: "broken", Tries: 1, Wake: wake}, stamp
	return s
}

// markedAt moves the mark to the time when the history ended with this event.
func markedAt(last int64) func(*store.Record) {
	return func(r *store.Record) { r.Problem.LastEventID = last }
}

func (s stored) with(f func(*store.Record)) stored { f(s.record); return s }

func purgedRecord(freeIn time.Duration) stored {
	return stored{record: &store.Record{Instance: "a", ExecutionID: 1, Purged: true, FreeAt: now.Add(freeIn), StartID: "s"}}
}

func turnOf(first int64, at time.Time, events ...history.Event) store.Turn {
	for i := range events {
		events[i].EventID, events[i].AtMS = first+int64(i), at.UnixMilli()
	}
	return store.Turn{Instance: "a", ExecutionID: 1, Events: events, Token: fmt.Sprint("t", first), Messaged: true}
}

// message is a delivery of an item, received some seconds ago.
func message(id string, item wire.Item, receives int) *inbox.Message {
	item.V, item.Instance = wire.Version, "a"
	m := queue.Message{ID: id, Group: "a", ReceiveCount: receives}
	if receives == 1 {
		m.ReceivedAt = now.Add(-time.Second)
	}
	return &inbox.Message{Delivery: platform.Delivery{Message: m}, Item: item, Proven: true}
}

func event(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Name: "go", ID: id, Data: []byte("1")}
}

func completed(result string) wire.Item {
	return wire.Item{Kind: wire.ActivityCompleted, ExecutionID: 1, SourceEventID: 4, Result: []byte(result)}
}

func wake(number int64, id string) wire.Item {
	return wire.Item{Kind: wire.Wake, ExecutionID: 1, Number: number, ID: id}
}

// wasRequeued returns an item that has passed through the delay queue.
func wasRequeued(i wire.Item) wire.Item { i.Hops = 1; return i }

func start(id string) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Name: "Main", ID: id, Input: []byte("1")}
}

func restart(id string) wire.Item {
	i := start(id)
	i.OnConflict = wire.ConflictRestart
	return i
}

// raising makes a start use a running instance, and raise an event there.
func raising(i wire.Item, sender string) wire.Item {
	i.Events, i.OnConflict = []wire.StartEvent{{Name: "go", ID: sender, Data: []byte("1")}}, wire.ConflictUseOrRestart
	return i
}

// redrive continues an ended instance from an event of an execution.
func redrive(origin history.Origin) wire.Item {
	i := start("r")
	i.OnConflict, i.Origin = wire.ConflictRedrive, &origin
	return i
}

// completing returns a completion that must not reach the instance.
func completing(change func(*wire.Item)) wire.Item {
	i := completed("1")
	change(&i)
	return i
}

// forged is a message whose token proves nothing.
func forged(m *inbox.Message) *inbox.Message { m.Proven = false; return m }

func ofParent(i wire.Item) wire.Item {
	i.Parent = &wire.Parent{Instance: "parent", ExecutionID: 1, EventID: 2}
	return i
}

func messages(m ...*inbox.Message) []*inbox.Message { return m }

// tooLarge: a turn of the group was refused because of its size.
func tooLarge(t *Turn) {
	t.Group.TooLarge = &store.TooLargeError{Instance: "a", ExecutionID: 1, Limit: "100 items a transaction"}
}

// secondExecution: the stored execution is the second one of its instance.
func secondExecution(t *Turn) { t.Running.Execution, t.View.Record.ExecutionID = 2, 2 }

// row is a rule: a state, messages, and the expected plans.
type row struct {
	rule     string
	stored   stored
	messages []*inbox.Message
	code     engine.Func // nil means instanceA
	change   func(*Turn)
	want     []string
}

// Among them are M-03, M-04, M-06, M-14, O-03, O-04, O-10, R-18 and W-09.
func TestEachRuleGivesItsPlans(t *testing.T) {
	t.Parallel()
	fresh := func(i wire.Item) []*inbox.Message { return messages(message("m", i, 1)) }
	back := func(i wire.Item) []*inbox.Message { return messages(message("m", i, 2)) }
	for _, c := range []row{
		// A process dies.
		{rule: "an event is run, committed and dispatched in one plan, before anything else is decided", stored: started(), messages: fresh(event("e")),
			want: []string{"runs ExternalRaised", "commits 3-4, dispatches 3-4", "settles recorded", "over"}},
		{rule: "a message resends its own turn, and is a duplicate", stored: scheduled(20), messages: back(event("e")),
			want: []string{"again 3-4 with 4", "runs ExternalRaised", "writes nothing", "settles duplicate", "over"}},
		{rule: "a message without a fact sends the last turn", stored: scheduled(20), messages: back(wake(7, "w")),
			want: []string{"again 3-4 with 4", "again nothing", "runs", "writes nothing", "settles wake", "over"}},
		{rule: "an operation that a message of the batch completes is not resent", stored: scheduled(20), messages: messages(message("m", event("e"), 2), message("n", completed("1"), 1)),
			want: []string{"again 3-4", "runs ExternalRaised ActivityCompleted", "commits 5-6, dispatches 5-6", "settles duplicate recorded", "over"}},

		// Two processes have the same message.
		{rule: "a fact recorded since the receipt is from another delivery: its turn is resent, after a check for a commit in progress", stored: scheduled(0.05), messages: fresh(event("e")),
			want: []string{"reads behind 5", "reads record again", "again 3-4 with 4", "runs ExternalRaised", "writes nothing", "settles duplicate", "over"}},
		{rule: "a fact recorded long before the receipt is a duplicate", stored: scheduled(20), messages: fresh(event("e")),
			want: []string{"runs ExternalRaised", "writes nothing", "settles duplicate", "over"}},
		{rule: "an end since the receipt, before the message's own fact, is resent", stored: done(0.05), messages: fresh(event("late")),
			want: []string{"reads behind 7", "reads record again", "again 5-6", "settles late", "over"}},
		{rule: "an end long before the receipt is not", stored: done(20), messages: fresh(event("late")),
			want: []string{"settles late", "over"}},
		{rule: "one wake is one try: the mark names it", stored: started().stuck("panic", 3, "w"), messages: fresh(wake(0, "w")),
			want: []string{"settles obsolete_wake", "again nothing", "over"}},
		{rule: "a wake before a requeued wake that was tried is a try, if it names the current mark", stored: started().stuck("panic", 3, "w"), messages: messages(message("n", wake(3, "w2"), 1), message("m", wake(2, "w"), 1)),
			want: []string{"reads behind 3", "reads record again", "again 1-2", "settles obsolete_wake", "again nothing", "runs", "writes the record, clears the mark", "settles wake", "over"}},
		{rule: "a sweeper's wake for another mark is dropped", stored: started().stuck("panic", 3, ""), messages: fresh(wake(2, "w")),
			want: []string{"reads behind 3", "reads record again", "again 1-2", "settles obsolete_wake", "again nothing", "over"}},
		{rule: "a sweeper's wake for this mark is a try, whose commit clears the mark", stored: started().stuck("panic", 3, ""), messages: fresh(wake(3, "w")),
			want: []string{"again 1-2", "runs", "writes the record, clears the mark", "settles wake", "over"}},

		// A write lands late; a service is down.
		{rule: "nothing is committed after the end of the invocation", stored: started(), messages: fresh(event("e")),
			change: func(t *Turn) { t.Now.Left = -time.Second },
			want:   []string{"runs ExternalRaised", ErrOver.Error()}},

		// The code does not work.
		{rule: "a turn that cannot continue records its arrivals and marks the instance", stored: started(), messages: fresh(event("e")), code: panics,
			want: []string{"runs ExternalRaised", "commits 3 parked, marks panic, dispatches 3 parked", "settles recorded", "over"}},
		{rule: "a message without a new fact runs no code of a stuck instance", stored: scheduled(20).stuck("panic", 3, ""), messages: fresh(event("e")),
			want: []string{"settles duplicate", "over"}},
		{rule: "nor does it when it is redelivered, and it clears no mark", stored: scheduled(20).stuck("panic", 3, ""), messages: back(event("e")),
			want: []string{"again 3-4 with 4", "settles duplicate", "over"}},
		{rule: "nor does the wake of an interrupted turn", stored: scheduled(20).stuck("panic", 3, ""), messages: fresh(wake(ContinueNumber, "w")),
			want: []string{"again 3-4 with 4", "settles wake", "over"}},
		{rule: "nor does that wake when it is redelivered", stored: scheduled(20).stuck("panic", 3, ""), messages: back(wake(ContinueNumber, "w")),
			want: []string{"again 3-4 with 4", "again nothing", "settles wake", "over"}},
		{rule: "if a commit lands late on an instance that was marked meanwhile, the next message sends its operations", stored: scheduled(20).stuck("panic", 3, "").with(markedAt(2)), messages: fresh(event("e2")),
			want: []string{"again 3-4 with 4", "runs ExternalRaised", "commits 5, clears the mark, dispatches 5", "settles recorded", "over"}},
		{rule: "but a commit from before the mark is not resent", stored: scheduled(20).stuck("panic", 3, "").with(markedAt(4)), messages: fresh(event("e2")),
			want: []string{"runs ExternalRaised", "commits 5, clears the mark, dispatches 5", "settles recorded", "over"}},
		{rule: "a requeued wake of an interrupted turn may have been overtaken: all open operations are resent", stored: scheduled(20).then(5),
			messages: fresh(wasRequeued(wake(ContinueNumber, "w"))), want: []string{"again 1-2 3-4 with 4 5", "runs", "writes nothing", "settles wake", "over"}},
		{rule: "a message that was received too often is marked before its turn", stored: started(), messages: messages(message("m", event("e"), 4)),
			want: []string{`suspects "m"`, "again 1-2", "runs ExternalRaised", "commits 3-4, dispatches 3-4", "settles recorded", "over"}},
		{rule: "one that finds its own mark is marked a second time", stored: started().with(func(r *store.Record) { r.Suspect = "m" }), messages: messages(message("m", event("e"), 5)),
			want: []string{`suspects "m#2"`, "again 1-2", "runs ExternalRaised", "commits 3-4, dispatches 3-4", "settles recorded", "over"}},
		{rule: "one that finds its second mark has killed its process: its arrivals are recorded, and no code is run", stored: started().with(func(r *store.Record) { r.Suspect = "m#2" }), messages: messages(message("m", event("e"), 6)),
			want: []string{"says stuck killed", "again 1-2", "records ExternalRaised", "commits 3 parked, marks killed, dispatches 3 parked", "settles recorded", "over"}},

		{rule: "a turn that does not fit into any commit fails its instance", stored: started(), messages: fresh(event("e")), change: tooLarge,
			want: []string{"commits 3, dispatches 3", "settles too_large", "over"}},
		{rule: "another delivery has failed it for that reason: the end is resent", stored: done(0.05), messages: fresh(event("late")), change: tooLarge,
			want: []string{"reads behind 7", "reads record again", "again 5-6", "settles late", "over"}},

		// Somebody purges.
		{rule: "a purge schedules the deletion before it hides the record", stored: done(20), messages: fresh(wire.Item{Kind: wire.PurgeInstance, ID: "p"}),
			want: []string{"sends deletion, hides, settles purged", "over"}},
		{rule: "a purge resends the messages of an end since its receipt", stored: done(0.05), messages: fresh(wire.Item{Kind: wire.PurgeInstance, ID: "p"}),
			want: []string{"reads behind 7", "reads record again", "again 5-6", "sends deletion, hides, settles purged", "over"}},
		{rule: "a redelivered purge resends the messages of the end, because it may precede the message that ended the instance", stored: done(20), messages: back(wire.Item{Kind: wire.PurgeInstance, ID: "p"}),
			want: []string{"again 5-6", "sends deletion, hides, settles purged", "over"}},
		{rule: "a purge of a purged instance schedules the deletion again", stored: purgedRecord(time.Hour), messages: fresh(wire.Item{Kind: wire.PurgeInstance, ID: "p"}),
			want: []string{"sends deletion, settles purged", "over"}},
		{rule: "a purge of a running instance is refused", stored: started(), messages: fresh(wire.Item{Kind: wire.PurgeInstance, ID: "p"}),
			want: []string{"settles purge_refused", "over"}},
		{rule: "a terminate ends a running instance", stored: scheduled(20), messages: fresh(wire.Item{Kind: wire.TerminateInstance, ID: "t", Reason: "enough"}),
			want: []string{"commits 5, dispatches 5", "settles recorded", "over"}},
		{rule: "the tombstone refuses a start, and notifies the parent", stored: purgedRecord(time.Hour), messages: fresh(ofParent(start("s2"))),
			want: []string{"tells parent purged, settles purged_id", "over"}},

		// Instances that do not exist, or no longer exist.
		{rule: "after the end, the start of the execution is a repeat", stored: done(20), messages: fresh(start("s")),
			want: []string{"settles duplicate", "over"}},
		{rule: "and for another start, the instance exists", stored: done(20), messages: fresh(start("s2")),
			want: []string{"settles exists", "over"}},
		{rule: "for a tombstone, the start of its instance is a repeat", stored: purgedRecord(time.Hour), messages: fresh(start("s")),
			want: []string{"settles duplicate", "over"}},
		{rule: "a mark is found at any receive count", stored: started().with(func(r *store.Record) { r.Suspect = "m#2" }), messages: back(event("e")),
			want: []string{"says stuck killed", "again 1-2", "records ExternalRaised", "commits 3 parked, marks killed, dispatches 3 parked", "settles recorded", "over"}},
		{rule: "an operator's wake does not resend operations that its own batch has closed", stored: scheduled(20), messages: messages(message("m", completed("1"), 2), message("n", wire.Item{Kind: wire.TerminateInstance, ID: "t"}, 1), message("o", wake(0, "w"), 1)),
			want: []string{"again 3-4", "runs ActivityCompleted", "commits 5-6, dispatches 5-6", "settles recorded", "settles late", "again 1-2", "settles wake", "over"}},
		{rule: "an operator's wake runs no code of an ended instance", stored: done(20), messages: fresh(wake(0, "w")), code: panics,
			want: []string{"again 1-2 3-4 5-6", "settles wake", "over"}},
		{rule: "a completion that arrives twice counts once", stored: scheduled(20), messages: messages(message("m", completed("1"), 1), message("n", completed("1"), 1)),
			want: []string{"runs ActivityCompleted ActivityCompleted", "commits 5-6, dispatches 5-6", "settles recorded duplicate", "over"}},
		{rule: "a message for a stuck instance is tried, and only recorded if the instance is still stuck", stored: started().stuck("panic", 3, ""), messages: fresh(event("e")), code: panics,
			want: []string{"runs ExternalRaised", "commits 3 parked, marks panic, dispatches 3 parked", "settles recorded", "over"}},
		{rule: "an event before its start is requeued", messages: fresh(event("e")),
			want: []string{"settles early round", "over"}},
		{rule: "a cancel before its start has no effect", messages: fresh(wire.Item{Kind: wire.CancelInstance, ID: "c"}),
			want: []string{"settles unknown_instance", "over"}},
		{rule: "a repeated start is a duplicate", stored: started(), messages: fresh(start("s")),
			want: []string{"runs StartOrchestration", "writes nothing", "settles duplicate", "over"}},
		{rule: "another start finds that its instance exists", stored: started(), messages: fresh(start("s2")),
			want: []string{"runs StartOrchestration", "writes nothing", "settles exists", "over"}},

		// Restarts of ended instances.
		{rule: "another delivery of such a start may have ended the instance: that turn is resent first", stored: done(0.05), messages: fresh(restart("s2")),
			want: []string{"reads behind 7", "reads record again", "again 5-6", "begins 2 again", "runs StartOrchestration", "commits 1-2, dispatches 1-2", "settles recorded", "over"}},
		{rule: "a start that may restart starts the next execution of an ended instance", stored: done(20), messages: fresh(restart("s2")),
			want: []string{"begins 2 again", "runs StartOrchestration", "commits 1-2, dispatches 1-2", "settles recorded", "over"}},
		{rule: "the messages of an end since its receipt are sent first", stored: done(0.05), messages: back(restart("s2")),
			want: []string{"again 5-6", "begins 2 again", "runs StartOrchestration", "commits 1-2, dispatches 1-2", "settles recorded", "over"}},
		{rule: "while the instance runs, the start finds that it exists", stored: started(), messages: fresh(restart("s2")),
			want: []string{"runs StartOrchestration", "writes nothing", "settles exists", "over"}},
		{rule: "the start of the current execution is a duplicate", stored: done(20), messages: fresh(restart("s")),
			want: []string{"settles duplicate", "over"}},
		{rule: "and so is the start of an earlier execution", stored: done(20).with(func(r *store.Record) { r.EarlierStarts = []string{"s0", "s1"} }), messages: fresh(restart("s1")),
			want: []string{"settles duplicate", "over"}},
		{rule: "a start of another orchestration starts nothing", stored: done(20).with(func(r *store.Record) { r.Name = "Other" }), messages: fresh(restart("s2")),
			want: []string{"settles exists", "over"}},
		{rule: "messages before the start are acknowledged before it starts anything: the start is returned", stored: scheduled(20), messages: messages(message("m", completed("1"), 1), message("n", restart("s2"), 1)),
			want: []string{"runs ActivityCompleted", "commits 5-6, dispatches 5-6", "settles recorded", "over"}},
		{rule: "a start that found the instance running is acknowledged before later messages, which may end the instance, are handled", stored: scheduled(20), messages: messages(message("m", restart("s2"), 1), message("n", completed("1"), 1)),
			want: []string{"runs StartOrchestration", "writes nothing", "settles exists", "over"}},
		{rule: "messages after the start are for the execution that it starts", stored: done(20), messages: messages(message("m", restart("s2"), 1), message("n", event("e2"), 1), message("o", completed("2"), 1)),
			want: []string{"begins 2 again", "runs StartOrchestration ExternalRaised ActivityCompleted", "commits 1-4, dispatches 1-4", "settles recorded recorded late", "over"}},
		{rule: "messages before the start are for the ended execution", stored: done(20), messages: messages(message("m", event("e2"), 1), message("n", restart("s2"), 1)),
			want: []string{"settles late", "over"}},
		{rule: "of two such starts, the second finds the instance running", stored: done(20), messages: messages(message("m", restart("s2"), 1), message("n", restart("s3"), 1)),
			want: []string{"begins 2 again", "runs StartOrchestration", "commits 1-2, dispatches 1-2", "settles recorded", "runs StartOrchestration", "writes nothing", "settles exists", "over"}},
		{rule: "a start whose event the ended run has received starts nothing", stored: done(0.05), messages: back(raising(restart("s2"), "e")),
			want: []string{"again 5-6", "settles duplicate", "settles exists", "over"}},
		// Redrives of ended instances.
		{rule: "a completed instance can be redriven only from an event", stored: done(20), messages: fresh(redrive(history.Origin{})),
			want: []string{"reads behind 1", "settles dead redrive_refused", "over"}},
		{rule: "but not from an event after its end", stored: done(20), messages: fresh(redrive(history.Origin{EventID: 9})),
			want: []string{"reads behind 1", "settles dead redrive_refused", "over"}},
		{rule: "a redrive of an execution that a restart followed does nothing", stored: done(20), messages: fresh(redrive(history.Origin{ExecutionID: 7})),
			want: []string{"settles exists", "over"}},
		{rule: "nor does a redrive of another orchestration", stored: done(20).with(func(r *store.Record) { r.Name = "Other" }), messages: fresh(redrive(history.Origin{})),
			want: []string{"settles exists", "over"}},
		{rule: "a terminate of an earlier execution ends no other execution", stored: started(), messages: fresh(wire.Item{Kind: wire.TerminateInstance, ID: "t", ExecutionID: 1}), change: secondExecution,
			want: []string{"settles late", "over"}},
		{rule: "the tombstone refuses a redrive", stored: purgedRecord(time.Hour), messages: fresh(restart("s2")),
			want: []string{"settles purged_id", "over"}},

		// Messages that name nothing known, or have no proof.
		{rule: "a completion for an event that is not in this history is a dead letter", stored: scheduled(20), messages: fresh(completing(func(i *wire.Item) { i.SourceEventID = 99 })),
			want: []string{"runs ActivityCompleted", "writes nothing", "settles dead misaddressed", "over"}},
		{rule: "and so is a completion for the start", stored: scheduled(20), messages: fresh(completing(func(i *wire.Item) { i.SourceEventID = 1 })),
			want: []string{"runs ActivityCompleted", "writes nothing", "settles dead misaddressed", "over"}},
		{rule: "and a completion for an event of another kind", stored: scheduled(20), messages: fresh(completing(func(i *wire.Item) { i.Kind, i.FireAtMS = wire.TimerFired, 1 })),
			want: []string{"runs TimerFired", "writes nothing", "settles dead misaddressed", "over"}},
		{rule: "and a completion for a later execution", stored: scheduled(20), messages: fresh(completing(func(i *wire.Item) { i.ExecutionID = 2 })),
			want: []string{"runs ActivityCompleted", "writes nothing", "settles dead misaddressed", "over"}},
		{rule: "and a completion with a wrong token", stored: scheduled(20), messages: messages(forged(message("m", completed("1"), 1))),
			want: []string{"runs ActivityCompleted", "writes nothing", "settles dead forged", "over"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if got := c.plans(t); !slices.Equal(got, c.want) {
				t.Errorf("the plans are\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}

// M-08: a message for an instance that never existed, has ended, or was purged is acknowledged and
// has no effect.
func TestAMessageForAMissingInstanceHasNoEffect(t *testing.T) {
	t.Parallel()
	for _, i := range []wire.Item{
		completed("1"),
		{Kind: wire.TimerFired, ExecutionID: 1, SourceEventID: 2, FireAtMS: 1},
		{Kind: wire.SubOrchCompleted, ParentInstance: "a", ParentExecutionID: 1, SourceEventID: 2},
		{Kind: wire.CancelInstance, ID: "c"},
		{Kind: wire.TerminateInstance, ID: "t"},
		wake(0, "w"),
		event("late"),
	} {
		never, ended, purged := "unknown_instance", "late", "purged_instance"
		switch i.Kind {
		case wire.ExternalRaised:
			never = "early round"
		case wire.Wake:
			ended = "wake"
		}
		for _, c := range []struct {
			stored  stored
			outcome string
		}{{stored{}, never}, {done(20), ended}, {purgedRecord(time.Hour), purged}} {
			for receives := 1; receives <= 2; receives++ {
				r := row{stored: c.stored, messages: messages(message("m", i, receives))}
				got := r.plans(t)
				if c.outcome == "late" && receives > 1 && i.Kind == wire.ActivityCompleted {
					c.outcome = "duplicate" // A redelivered message searches for its fact.
				}
				if last := got[len(got)-2:]; !slices.Equal(last, []string{"settles " + c.outcome, "over"}) || slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, "commits") || strings.Contains(w, "writes the") }) {
					t.Errorf("%s, received %d times, for what is %q: %s", i.Kind, receives, c.outcome, strings.Join(got, "; "))
				}
			}
		}
	}
}

// plans makes decisions until the turn is over, and assumes that each plan is carried out.
func (c *row) plans(t *testing.T) []string {
	t.Helper()
	code := c.code
	if code == nil {
		code = instanceA
	}
	p := newDriver(t, code)
	p.now = now
	for i, s := range c.stored.turns {
		commit := store.Commit{Turns: []store.Turn{s}}
		if i == 0 {
			commit.Record = &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: c.stored.record, UpdatedAt: startedAt}
		}
		if err := p.kept.Commit(t.Context(), commit); err != nil {
			t.Fatal(err)
		}
	}
	turn := p.turn(&GroupsOf(c.messages, p.settings.SuspectReceives)[0].Group)
	turn.View.Record, turn.View.Described, turn.View.Current = c.stored.record, true, true
	if execution, has := turn.Stands(turn.Group.Open()); has == Runs {
		if err := p.feed(turn, execution); err != nil {
			t.Fatal(err)
		}
	}
	if c.change != nil {
		c.change(turn)
		p.left = turn.Now.Left
	}
	p.given = true
	if err := p.decide(turn); err != nil {
		p.say("%s", err)
	}
	return p.lines
}

// W-09: the redelivered message removes the mark that a dead process left. If the message has not
// been received too often, its next try sets no new mark, because its group may run in parallel
// with others, and a process that dies would leave the marks of all groups.
func TestTheMarkOfADeadProcessMakesNoNewSuspect(t *testing.T) {
	t.Parallel()
	r := started().with(func(r *store.Record) { r.Suspect = "m" }).record
	turn := begun(&Known{Group: &Group{Messages: messages(message("m", event("e"), 2))}, View: reading.View{Instance: "a", Record: r}})
	if p, err := turn.suspicion.decide(); err != nil || p.Record != nil || turn.Cleared(false) == nil || turn.Group.Suspect != "" {
		t.Errorf("the mark is %q, the group's suspect %q, and the plan %+v: %v", turn.suspicion.mark, turn.Group.Suspect, p.Record, err)
	}
	if half := turn.Group.Half(turn.Group.Messages); half.Suspect != "" {
		t.Errorf("another try suspects %q", half.Suspect)
	}
}
