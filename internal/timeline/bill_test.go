package timeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

func TestABillCountsWhatTheCodeAsksFor(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(10, started(), act("A", &history.Retry{MaxAttempts: 5}), timer(20), timer(100_000))
	s.turn(40, done(2, 38, 3))
	s.turn(50, history.Event{Kind: history.TimerFired, SourceEventID: 3})
	s.turn(60, history.Event{Kind: history.TimerFired, SourceEventID: 4}, history.Event{Kind: history.OrchestrationCompleted})
	sources := []timeline.Source{timeline.FromTurns(1, s.turns)}
	var got []string
	sum := 0.0
	b := timeline.Count(timeline.New("i", sources...), sources)
	for _, l := range b.Lines {
		got = append(got, fmt.Sprintf("%s %g %s", l.Service, l.Count, l.Unit))
		sum += l.Dollars
		if math.Abs(l.Dollars-l.Count*l.DollarsAMillion/1e6) > 1e-12 {
			t.Errorf("%+v does not add up", l)
		}
	}
	want := []string{
		"DynamoDB 20 write units", // 2×(1+1+3) to start, 1 and 1, 2×(1+1+2) to end
		"DynamoDB 2 write units",  // two attempts that followed
		"DynamoDB 3 read units",   // a read before each further attempt, and the start's
		"SQS 12 FIFO requests",    // the start, the completion, the timers
		"SQS 3 standard requests", // the short timer
		"SQS 9 standard requests",
		"EventBridge Scheduler 1 invocations",
		"Lambda 8 invocations",
		"Lambda 1 GB-seconds",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the bill is\n%s\nwant\n%s", g, w)
	}
	if math.Abs(sum-b.Dollars) > 1e-12 || len(b.LeftOut) == 0 {
		t.Errorf("the lines sum up to %v, the bill says %v; left out: %q", sum, b.Dollars, b.LeftOut)
	}
}

// The original of a fork may have been deleted when its cost is asked for, so the fork's bill includes the write to the original. A redrive
// continues in its own record.
func TestTheBillOfAForkHasTheWriteIntoItsOriginal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		origin *history.Origin
		want   float64
	}{
		{nil, 0},
		{&history.Origin{Instance: "i", ExecutionID: 1, EventID: 3}, 0},
		{&history.Origin{Instance: "another", ExecutionID: 1, EventID: 3}, 1},
	} {
		s := newScript(1)
		start := started()
		start.Start.Origin = c.origin
		s.turn(10, start, timer(20))
		s.turn(20, history.Event{Kind: history.TimerFired, SourceEventID: 2}, history.Event{Kind: history.OrchestrationCompleted})
		sources := []timeline.Source{timeline.FromTurns(1, s.turns)}
		noted := 0.0
		for _, l := range timeline.Count(timeline.New("i", sources...), sources).Lines {
			if strings.Contains(l.What, "a note of the fork") {
				noted += l.Count
			}
		}
		if noted != c.want {
			t.Errorf("begun from %+v: %g write units, want %g", c.origin, noted, c.want)
		}
	}
}

// What exceeds a transaction is written in advance, and a write outside a transaction costs half.
func TestTheBillOfALargeRedriveCountsTheCopyOnce(t *testing.T) {
	t.Parallel()
	large := make([]byte, 5<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large) // random, so that compression does not shrink it
	written := func(origin *history.Origin) (units float64) {
		s := newScript(1)
		start := started()
		start.Start.Origin, start.Payload = origin, large
		s.turn(10, start, timer(20))
		sources := []timeline.Source{timeline.FromTurns(1, s.turns)}
		for _, l := range timeline.Count(timeline.New("i", sources...), sources).Lines {
			if strings.HasPrefix(l.What, "a conditional write") {
				units = l.Count
			}
		}
		return units
	}
	const record = 2 * (1 + 3) // with its entries in three indexes
	twice := written(nil) - record
	if once := written(&history.Origin{Instance: "i", ExecutionID: 1, EventID: 3}) - record; 2*once != twice || once < 5<<10 {
		t.Errorf("%g write units for what is taken over, and %g for as much in a transaction", once, twice)
	}
}

// The write units of a bill equal those that internal/store/metering charges, which is compared with DynamoDB Local. It compares random
// programs turn by turn, where only the start and the end change the record.
func TestPropertyABillsWritesAreThoseThatDynamoDBCharges(t *testing.T) {
	t.Parallel()
	compared, equal := 0, 0
	for seed := uint64(200); seed < 330; seed++ {
		all, err := simulation.Histories(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range all {
			var sources []timeline.Source
			for i, turns := range left.Executions {
				sources = append(sources, timeline.FromTurns(left.Record.FirstExecution+int64(i), turns))
			}
			tl := timeline.New(left.Record.Instance, sources...)
			if left.Record.FirstExecution > 1 {
				continue // The first execution of a later run is charged like any start.
			}
			charged := charge(t, left)
			var billed float64
			for _, l := range timeline.Count(tl, sources).Lines {
				if l.Unit == "write units" && strings.HasPrefix(l.What, "a conditional write") {
					billed = l.Count
				}
			}
			compared++
			if billed == charged {
				equal++
			}
			// The size of the record is an estimate: it may be off by 1 KB in the transaction that ends each execution.
			if math.Abs(billed-charged) > 2*float64(len(left.Executions)) {
				t.Errorf("seed %d, %s: billed %g write units, DynamoDB charges %g", seed, left.Record.Instance, billed, charged)
			}
		}
	}
	if compared < 100 || equal*10 < compared*9 {
		t.Errorf("%d bills were compared, %d are equal: the test has lost its histories, or the bill its measure", compared, equal)
	}
}

func statusOf(suspended bool) store.Status {
	if suspended {
		return store.StatusSuspended
	}
	return store.StatusRunning
}

// suspendedAfter reports whether an instance is suspended after a turn; was is the state before it.
func suspendedAfter(turn store.Turn, was bool) bool {
	for _, e := range turn.Events {
		if e.Kind == history.OrchestrationSuspended || e.Kind == history.OrchestrationResumed {
			was = e.Kind == history.OrchestrationSuspended
		}
	}
	return was
}

// charge commits the turns of a simulated run to a store that counts units, as the host does.
func charge(t *testing.T, left simulation.Left) (writeUnits float64) {
	t.Helper()
	s := metering.New(storememory.New(), dynamo.Config{}, func(u dynamo.Usage) { writeUnits += u.WriteUnits })
	r := left.Record
	begun := r
	begun.Status, begun.EndedAt, begun.Output, begun.Failure, begun.Problem, begun.ExecutionID = store.StatusRunning, begun.CreatedAt, nil, nil, nil, r.FirstExecution
	begun.SearchAttributes, begun.States = nil, nil
	begun.EndedAt = store.Record{}.EndedAt
	var pending []store.Turn
	suspended := false
	for i, turns := range left.Executions {
		for j, turn := range turns {
			c := store.Commit{Turns: append(pending, turn)}
			pending = nil
			last := &turn.Events[len(turn.Events)-1]
			was := suspended && turn.Events[0].Kind != history.OrchestrationStarted
			suspended = suspendedAfter(turn, was)
			switch {
			case i == 0 && j == 0:
				create := begun // when the first run started; the record has the start of the last one
				create.CreatedAt = time.UnixMilli(turn.Events[0].AtMS)
				create.Status = statusOf(suspended)
				if last.Kind.Terminal() && last.Kind != history.OrchestrationContinuedAsNew {
					create.Status, create.EndedAt = r.Status, r.EndedAt
				}
				c.Record = &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &create, UpdatedAt: r.UpdatedAt}
			case j == 0 && turn.Events[0].Kind == history.OrchestrationStarted:
				// The instance had ended and restarts.
				again := begun
				again.Status = statusOf(suspended)
				again.ExecutionID, again.CreatedAt = turn.ExecutionID, time.UnixMilli(turn.Events[len(turn.Events)-1].AtMS) // of what was taken over, older events stand ahead
				if last.Kind.Terminal() && last.Kind != history.OrchestrationContinuedAsNew {
					again.Status, again.EndedAt = r.Status, r.EndedAt
				}
				c.Record = &store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: turn.ExecutionID - 1, Ended: true}, Create: &again, UpdatedAt: r.UpdatedAt}
			case last.Kind == history.OrchestrationContinuedAsNew:
			case !last.Kind.Terminal() && suspended != was:
				status := statusOf(suspended)
				c.Record = &store.RecordChange{Status: &status, UpdatedAt: r.UpdatedAt}
			case last.Kind.Terminal():
				c.Record = &store.RecordChange{Status: &r.Status, EndedAt: &r.EndedAt, Output: &last.Payload, Failure: &last.Failure, UpdatedAt: r.UpdatedAt}
			}
			if last.Kind == history.OrchestrationContinuedAsNew && i+1 < len(left.Executions) {
				// The next execution starts in the same transaction.
				next := r.FirstExecution + int64(i) + 1
				if c.Record == nil {
					c.Record = &store.RecordChange{ExecutionID: &next, UpdatedAt: r.UpdatedAt}
				}
				c.Turns = append(c.Turns, left.Executions[i+1][0])
				left.Executions[i+1] = left.Executions[i+1][1:]
			}
			if err := s.Commit(t.Context(), c); err != nil {
				t.Fatalf("%s: %v", r.Instance, err)
			}
		}
	}
	return writeUnits
}
