package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// the history is the same however a sequence of arrivals is divided into turns, and
// whatever else arrives in between.

// course is a run of a program with one cold turn for each arrival. Other runs are
// compared with it.
type course struct {
	d        *driver
	arrivals []courseArrival // the first is the start
}

// courseArrival is an arrival of a course. It also identifies its source by position
// among the scheduling events of the execution, because event ids shift when arrivals are
// parked.
type courseArrival struct {
	arrival   engine.Arrival
	execution int
	ordinal   int // of the source; -1 if it has none
	// after is the number of events before the arrival.
	after int
}

func drawCourse(t *rapid.T, p *program, n int, blind bool) *course {
	c := &course{d: newDriver(t, p)}
	c.d.cold, c.d.blind = true, blind
	start := startArrival()
	drawWith(t, &start)
	c.arrivals = []courseArrival{{arrival: start, execution: 1, ordinal: -1}}
	c.d.turn(start)
	for serial := 0; serial < n && !c.d.ended(); serial++ {
		c.d.cool()
		e := drawArrival(t, c.d.events(), serial)
		a := c.d.arrivalOf(e)
		c.arrivals = append(c.arrivals, courseArrival{arrival: a, execution: len(c.d.histories),
			ordinal: ordinalOf(c.d.events(), e.SourceEventID), after: len(c.d.events())})
		if vs := c.d.turn(a); vs[0].Kind != engine.Recorded {
			c.d.fail("%s is %v: %s", e.Kind, vs[0].Kind, vs[0].Reason)
		}
	}
	return c
}

// ordinalOf returns the position of an event among the scheduling events, or -1 for no
// event.
func ordinalOf(events []history.Event, id int64) int {
	n := -1
	for i := range events {
		if events[i].Kind.Scheduling() {
			n++
		}
		if events[i].EventID == id {
			return n
		}
	}
	return -1
}

// idAt is the inverse of ordinalOf. It returns 0 if there are not enough events.
func idAt(events []history.Event, ordinal int) int64 {
	for i := range events {
		if events[i].Kind.Scheduling() {
			if ordinal == 0 {
				return events[i].EventID
			}
			ordinal--
		}
	}
	return 0
}

// drawCutting chooses how a driver divides arrivals into turns.
func drawCutting(t *rapid.T, d *driver) {
	d.parkInline = rapid.Bool().Draw(t, "park inline results")
	switch rapid.IntRange(0, 2).Draw(t, "feeding") {
	case 1:
		d.feed = func(int) int { return 1 }
	case 2:
		d.feed = func(n int) int { return rapid.IntRange(1, n).Draw(t, "fed") }
	}
}

// nuisance is an arrival that must not be recorded.
type nuisance struct {
	arrival engine.Arrival
	kinds   []engine.VerdictKind
}

// drawNuisance makes a repeated, late, misaddressed or forged arrival.
func drawNuisance(t *rapid.T, d *driver, done []engine.Arrival) nuisance {
	events := d.events()
	source := events[rapid.IntRange(0, len(events)-1).Draw(t, "source")]
	stray := func(e history.Event, a engine.Arrival) engine.Arrival {
		e.Payload = []byte(`"stray"`)
		a.Event = e
		return a
	}
	completion := history.Event{Kind: history.ActivityCompleted, SourceEventID: source.EventID}
	right := engine.Arrival{ExecutionID: 1, Proven: true}
	switch rapid.IntRange(0, 6).Draw(t, "nuisance") {
	case 0:
		return nuisance{done[rapid.IntRange(0, len(done)-1).Draw(t, "repeat")], []engine.VerdictKind{engine.Duplicate}}
	case 1:
		a := startArrival()
		a.Event.Start.StartID = "another"
		return nuisance{a, []engine.VerdictKind{engine.Exists}}
	case 2:
		completion.SourceEventID = int64(len(events)) + 100
		return nuisance{stray(completion, right), []engine.VerdictKind{engine.Misaddressed, engine.Late}}
	case 3:
		right.ExecutionID = 2
		return nuisance{stray(completion, right), []engine.VerdictKind{engine.Misaddressed}}
	case 4:
		if source.Kind == history.ActivityScheduled && !source.Inline {
			completion.Kind = history.TimerFired
		}
		return nuisance{stray(completion, right), []engine.VerdictKind{engine.Misaddressed, engine.Late}}
	case 5:
		if source.Kind == history.TimerCreated {
			completion.Kind = history.TimerFired
		}
		right.Proven = false
		return nuisance{stray(completion, right), []engine.VerdictKind{engine.Forged, engine.Misaddressed, engine.Late}}
	}
	completion.Kind, completion.SourceEventID = history.SubOrchestrationCompleted, 0
	return nuisance{stray(completion, right), []engine.VerdictKind{engine.Misaddressed, engine.Late}}
}

// The same arrivals give the same history to the byte, the same verdicts, cancellations
// and log lines, and the same outcome, however they are divided into turns: warm or cold,
// by one process or by two alternating ones, fed in any split, with arrivals in between
// that must not be recorded.
func TestPropertyR11CutsGiveTheSameHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{inline: true, ends: true})
		c := drawCourse(t, p, rapid.IntRange(0, 12).Draw(t, "arrivals"), false)
		defer c.d.close()

		d := newDriver(t, p)
		defer d.close()
		drawCutting(t, d)
		var done []engine.Arrival
		for left := c.arrivals; len(left) > 0; {
			n := rapid.IntRange(1, len(left)).Draw(t, "cut")
			var batch []engine.Arrival
			var expected [][]engine.VerdictKind
			for _, a := range left[:n] {
				for len(done) > 0 && rapid.IntRange(0, 2).Draw(t, "disturb") == 0 {
					x := drawNuisance(t, d, done)
					batch, expected = append(batch, x.arrival), append(expected, x.kinds)
				}
				batch, expected = append(batch, a.arrival), append(expected, nil)
				if len(batch) == 1 && len(d.events()) == 0 {
					// It is judged against committed events, so it needs its own batch.
					n = 1
					break
				}
			}
			for len(done) > 0 && rapid.IntRange(0, 2).Draw(t, "disturb the end") == 0 {
				x := drawNuisance(t, d, done)
				batch, expected = append(batch, x.arrival), append(expected, x.kinds)
			}
			fresh := left[:n]
			left = left[n:]
			for _, a := range fresh {
				done = append(done, a.arrival)
			}
			switch rapid.IntRange(0, 3).Draw(t, "execution") {
			case 0, 1: // warm
			case 2:
				d.cool()
				d.cold = true
			case 3:
				d.swap()
			}
			verdicts := d.turn(batch...)
			k := 0
			for i, v := range verdicts {
				if expected[i] != nil {
					if !slices.Contains(expected[i], v.Kind) {
						d.fail("a nuisance is %v, want one of %v: %+v", v.Kind, expected[i], batch[i])
					}
					continue
				}
				if v.Kind != engine.Recorded || d.events()[v.EventID-1].Kind != fresh[k].arrival.Event.Kind {
					d.fail("verdict %v at %d: %s", v.Kind, v.EventID, v.Reason)
				}
				k++
			}
		}
		sameCourse(d, c)
		if d.last.Stuck == nil {
			d.replaysCleanly(d.events(), 1, c.d.run.lines)
		}
	})
}

func sameCourse(d *driver, c *course) {
	d.t.Helper()
	if got, want := string(history.Encode(d.events())), string(history.Encode(c.d.events())); got != want {
		d.fail("another history: %s\nthe course had\n%s", firstDifference(strings.Split(got, "{"), strings.Split(want, "{")), show(c.d.events()))
	}
	if (d.last.Stuck != nil) != (c.d.last.Stuck != nil) || d.last.State != c.d.last.State {
		d.fail("state %v, stuck %v; the course %v, %v", d.last.State, d.last.Stuck, c.d.last.State, c.d.last.Stuck)
	}
	if got, want := unique(d.cancelled[0]), unique(c.d.cancelled[0]); fmt.Sprint(got) != fmt.Sprint(want) {
		d.fail("cancelled %v, the course %v", got, want)
	}
	if d.status != c.d.status {
		d.fail("status %q, the course %q", d.status, c.d.status)
	}
	if d.searchText() != c.d.searchText() {
		d.fail("search attributes %v, the course %v", d.search, c.d.search)
	}
	if d.last.Stuck == nil {
		if diff := firstDifference(d.run.lines, c.d.run.lines); diff != "" {
			d.fail("the program saw something else: %s", diff)
		}
	}
}

// operations returns the scheduling events and the end, without everything that depends
// on event ids.
func operations(events []history.Event) []string {
	var list []string
	for _, e := range events {
		if !e.Kind.Scheduling() && !e.Kind.Terminal() {
			continue
		}
		e.EventID, e.AtMS, e.SourceEventID = 0, 0, 0
		if e.Kind == history.SystemCall && e.Op == history.OpGUID {
			e.Payload = nil
		}
		if !e.ExplicitID {
			e.Instance = ""
		}
		list = append(list, string(history.Encode([]history.Event{e})))
	}
	return list
}

// follow passes a course's arrivals to another driver, in order, parking or batching them
// as may says. An arrival whose source does not exist yet is passed after all earlier
// arrivals have been run.
func (c *course) follow(d *driver, park func() bool, run func(batch []engine.Arrival)) {
	var batch []engine.Arrival
	pending := 0 // cancels of the batch that a later execution will see
	for _, a := range c.arrivals {
		cancel := a.arrival.Event.Kind == history.OrchestrationCancelRequested
		if cancel && pending > 0 {
			// K-04: of several cancels that an execution has not seen yet, the first
			// counts; in the course it had seen this one.
			run(batch)
			batch, pending = nil, 0
		}
		ready := func() bool {
			return a.ordinal < 0 || len(d.histories) == a.execution && idAt(d.events(), a.ordinal) != 0
		}
		if !ready() && len(batch) > 0 {
			run(batch)
			batch, pending = nil, 0
		}
		if !ready() {
			run(nil)
		}
		if !ready() {
			d.fail("operation %d of execution %d was not made", a.ordinal, a.execution)
		}
		e := a.arrival.Event
		if a.ordinal >= 0 {
			e.SourceEventID = idAt(d.events(), a.ordinal)
		}
		next := d.arrivalOf(e)
		next.With = a.arrival.With
		if e.Kind == history.OrchestrationStarted {
			next.ExecutionID = 0
		}
		batch = append(batch, next)
		if cancel && a.execution != len(d.histories) {
			pending++
		}
		if park() {
			continue
		}
		run(batch)
		batch, pending = nil, 0
	}
	run(batch)
}

// sameOperations compares the operations, what the program saw, and the outcome.
func (c *course) sameOperations(d *driver) {
	d.t.Helper()
	if len(d.histories) != len(c.d.histories) {
		d.fail("%d executions, the course had %d", len(d.histories), len(c.d.histories))
	}
	for i := range d.histories {
		if diff := firstDifference(operations(d.histories[i]), operations(c.d.histories[i])); diff != "" {
			d.fail("execution %d: other operations: %s\nthe course had\n%s", i+1, diff, show(c.d.histories[i]))
		}
	}
	if diff := firstDifference(d.run.lines, c.d.run.lines); diff != "" {
		d.fail("the program saw something else: %s\nthe course had\n%s", diff, show(c.d.events()))
	}
	for i, events := range d.histories {
		d.replaysCleanly(events, int64(i)+1, nil)
	}
}

// parking arrivals in between gives the same operations and outcome if no inline
// activity is involved.
func TestPropertyR11ParkedArrivalsGiveTheSameOperations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{ends: true})
		c := drawCourse(t, p, rapid.IntRange(1, 12).Draw(t, "arrivals"), true)
		defer c.d.close()
		if c.d.everStuck {
			return // a deadlock; the position of its scheduling events depends on the division
		}
		d := newDriver(t, p)
		defer d.close()
		d.blind = true
		drawCutting(t, d)
		c.follow(d, func() bool { return rapid.Bool().Draw(t, "park") }, func(batch []engine.Arrival) {
			for _, a := range batch {
				if rapid.Bool().Draw(t, "cold") {
					d.cool()
				}
				if v := d.park(a); v.Kind != engine.Recorded && v.Kind != engine.Late {
					d.fail("parking %s: %v", a.Event.Kind, v)
				}
			}
			d.turn()
		})
		c.sameOperations(d)
	})
}

// code that panics anywhere and is then repaired makes the same operations
// and has the same outcome as an undisturbed run.
func TestPropertyR18StuckAndRepairedGivesTheSameOperations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{ends: true})
		c := drawCourse(t, p, rapid.IntRange(1, 12).Draw(t, "arrivals"), true)
		defer c.d.close()
		if c.d.everStuck {
			return
		}
		d := newDriver(t, p)
		defer d.close()
		d.blind = true
		drawCutting(t, d)
		d.panicAt = rapid.IntRange(1, c.d.run.steps+1).Draw(t, "panic at")
		stuck := 0
		c.follow(d, func() bool { return rapid.Bool().Draw(t, "batch") }, func(batch []engine.Arrival) {
			if stuck > 0 && (len(batch) == 0 || rapid.IntRange(0, 2).Draw(t, "repair") == 0) {
				d.cool()
				d.panicAt = 0
			}
			if rapid.Bool().Draw(t, "cold") {
				d.cool()
			}
			before := d.events()
			for i, v := range d.turn(batch...) {
				if v.Kind != engine.Recorded && v.Kind != engine.Late {
					d.fail("%s: %v", batch[i].Event.Kind, v)
				}
			}
			if s := d.last.Stuck; s != nil {
				stuck++
				if s.Kind != engine.StuckPanic || !strings.HasPrefix(s.Message, fmt.Sprintf("panic: step %d at ", d.panicAt)) || !strings.Contains(s.Message, "program_test.go:") {
					d.fail("stuck for another reason: %v\n%s", s, s.Stack)
				}
				if stuck > 1 && len(d.events()) != len(before)+len(batch) {
					d.fail("a turn that stays stuck wrote %s for %d arrivals", show(d.events()[len(before):]), len(batch))
				}
			}
			if d.last.Stuck != nil && len(batch) == 0 {
				// The next arrivals need the operations that the code makes in response
				// to these.
				d.cool()
				d.panicAt = 0
				d.turn()
			}
		})
		if d.last.Stuck != nil {
			d.cool()
			d.panicAt = 0
			d.turn()
		}
		c.sameOperations(d)
	})
}

// N-02: however arrivals of several executions are divided into batches, every execution
// makes the same operations, and no event is lost or seen twice.
func TestPropertyN02ContinueAsNewLosesNoEvent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{continueAsNew: true, ends: true})
		// The program also continues as new at its end.
		p.main = append(p.main, &stmt{kind: stContinueAsNew, id: 999})
		c := drawCourse(t, p, rapid.IntRange(1, 14).Draw(t, "arrivals"), true)
		defer c.d.close()
		if c.d.everStuck {
			return
		}
		d := newDriver(t, p)
		defer d.close()
		d.blind = true
		drawCutting(t, d)
		c.follow(d, func() bool { return rapid.IntRange(0, 2).Draw(t, "batch") > 0 }, func(batch []engine.Arrival) {
			if rapid.Bool().Draw(t, "cold") {
				d.cool()
			}
			n := len(batch)
			if old := len(d.histories) - 1; old > 0 && rapid.Bool().Draw(t, "late") {
				// N-03: an arrival of an earlier execution, although its ids may fit this
				// one; E-08: an event that is sent again after a continue-as-new.
				source := int64(rapid.IntRange(1, len(d.histories[0])).Draw(t, "source"))
				batch = append(batch, engine.Arrival{ExecutionID: int64(old), Proven: true,
					Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: source, Payload: []byte("1")}})
				for _, e := range d.histories[old-1] {
					if e.Kind == history.ExternalEvent || e.Kind == history.OrchestrationCancelRequested {
						batch = append(batch, engine.Arrival{Event: e})
					}
				}
			}
			for i, v := range d.turn(batch...) {
				switch {
				case i == n && v.Kind != engine.Late, i > n && v.Kind != engine.Duplicate && v.Kind != engine.Late:
					d.fail("%s of an earlier execution is %v", batch[i].Event.Kind, v)
				case i < n && v.Kind != engine.Recorded:
					d.fail("%s is %v", batch[i].Event.Kind, v)
				}
			}
		})
		c.sameOperations(d)
	})
}

// Rule 12: an imposed end at any moment closes what is open and replays without running
// the code past it, and nothing is recorded after it.
func TestPropertyRule12ForcedEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{inline: true, ends: true})
		c := drawCourse(t, p, rapid.IntRange(0, 8).Draw(t, "arrivals"), false)
		d := c.d
		defer d.close()
		if d.ended() {
			return
		}
		var open []int64
		for i := range d.events() {
			e := &d.events()[i]
			if stoppable(e) && !slices.ContainsFunc(d.events(), func(other history.Event) bool { return other.SourceEventID == e.EventID }) {
				open = append(open, e.EventID)
			}
		}
		parked := rapid.Bool().Draw(t, "an arrival parked before it")
		if parked {
			d.park(d.arrivalOf(history.Event{Kind: history.ExternalEvent, Name: "e0"}))
		}
		if rapid.Bool().Draw(t, "cold") {
			d.cool()
		}
		turn, err := d.warm().ForceEnd(d.nowMS, history.ForcedByOperator, "ada", history.Failure{Kind: history.FailureTerminated, Message: "by hand"})
		if err != nil {
			d.fail("%v", err)
		}
		if fmt.Sprint(turn.Cancelled) != fmt.Sprint(open) || turn.State != engine.Ended || turn.End() == nil || turn.End().Forced != history.ForcedByOperator {
			d.fail("cancelled %v, want %v; state %v", turn.Cancelled, open, turn.State)
		}
		d.commit(turn)
		if v := d.park(d.arrivalOf(history.Event{Kind: history.ExternalEvent, Name: "e0"})); v.Kind != engine.Late {
			d.fail("an event behind the end is %v", v)
		}
		d.replaysCleanly(d.events(), 1, nil)
	})
}

// with the policy "fail", a panic anywhere gives one imposed end, which is
// final, closes what is open, and replays cleanly.
func TestPropertyR14PolicyFail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{inline: true, ends: true})
		c := drawCourse(t, p, rapid.IntRange(1, 12).Draw(t, "arrivals"), false)
		defer c.d.close()
		d := newDriverOf(t, p, engine.Orchestration{FailWhenStuck: true})
		defer d.close()
		d.panicAt = rapid.IntRange(1, c.d.run.steps+1).Draw(t, "panic at")
		ended := false
		for left := c.arrivals; len(left) > 0 && !ended; {
			n := rapid.IntRange(1, len(left)).Draw(t, "cut")
			var batch []engine.Arrival
			for _, a := range left[:n] {
				batch = append(batch, a.arrival)
			}
			left = left[n:]
			if rapid.Bool().Draw(t, "cold") {
				d.cool()
			}
			d.turn(batch...)
			if d.last.Stuck != nil {
				d.fail("stuck: %v", d.last.Stuck)
			}
			ended = d.ended()
		}
		last := d.events()[len(d.events())-1]
		if !ended || last.Forced == "" {
			// The program did not get that far.
			if d.run.steps >= d.panicAt {
				d.fail("the panic left no imposed end")
			}
			return
		}
		if last.Forced != history.ForcedByPolicy || last.Failure.Kind != history.FailurePanic && last.Failure.Kind != history.FailureStuck {
			d.fail("imposed %q, %+v", last.Forced, last.Failure)
		}
		for i := range d.events() {
			e := &d.events()[i]
			completed := slices.ContainsFunc(d.events(), func(other history.Event) bool { return other.SourceEventID == e.EventID })
			if stoppable(e) && !completed && !slices.Contains(d.cancelled[0], e.EventID) {
				d.fail("event %d stays open and is not cancelled: %v", e.EventID, d.cancelled[0])
			}
		}
		d.cool()
		d.panicAt = 0
		d.turn()
		if len(d.events()) != int(last.EventID) {
			d.fail("the imposed end did not stay")
		}
		d.cool()
		d.replaysCleanly(d.events(), 1, nil)
	})
}
