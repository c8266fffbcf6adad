package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Damaged histories. However a history is damaged, its replay ends without a panic, in
// corruption, in nondeterminism, or in a history that the code could have made. The test
// determines which of them it must be without the engine: corruption by a search,
// nondeterminism with the reference model.
//
// Fuzz with: go test ./engine -run '^$' -fuzz FuzzDamagedHistory -fuzztime 5m

// damage changes a history according to a few bytes: which operation, where, how.
func damage(events []history.Event, script []byte) []history.Event {
	list := append([]history.Event(nil), events...)
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	for len(script) > 0 && len(list) > 0 {
		op := next()
		i := next() % len(list)
		e := &list[i]
		switch op % 16 {
		case 0: // drop
			list = append(list[:i:i], list[i+1:]...)
		case 1: // duplicate
			list = append(list[:i+1:i+1], list[i:]...)
		case 2: // swap
			j := next() % len(list)
			list[i], list[j] = list[j], list[i]
		case 3: // swap with the next event, the most common mistake of a store
			if i+1 < len(list) {
				list[i], list[i+1] = list[i+1], list[i]
			}
		case 4: // cut off
			list = list[:i+1]
		case 5: // another id
			e.EventID += int64(next()%5 - 2)
		case 6, 7: // retarget
			e.SourceEventID = int64(next() % (len(list) + 2))
		case 8: // another kind
			kinds := history.Kinds()
			e.Kind = append(kinds, history.KindUnknown, history.Kind(200))[next()%(len(kinds)+2)]
		case 9: // the kind that its source completes, or the opposite outcome
			e.Kind = map[history.Kind]history.Kind{
				history.ActivityCompleted: history.ActivityFailed, history.ActivityFailed: history.ActivityCompleted,
				history.SubOrchestrationCompleted: history.SubOrchestrationFailed, history.SubOrchestrationFailed: history.SubOrchestrationCompleted,
			}[e.Kind]
		case 10: // another name
			e.Name = []string{"", "A0", "A1", "e0", "e1", "I0", "C", "D", "dice", "p0", "p1"}[next()%11]
		case 11: // another value; values of system calls can be anything
			if e.Kind != history.SystemCall {
				e.Payload = []byte{byte('0' + next()%10)}
			}
		case 12:
			if n := next() % 4; n < 3 {
				e.DurationMS += int64(n) * 1000
			} else {
				e.Version = "3"
			}
		case 13:
			if e.Kind.Arrival() {
				e.WithPrevious = !e.WithPrevious
			} else {
				e.Inline = !e.Inline
			}
		case 14: // an imposed end
			list = append(list, history.Event{Kind: history.OrchestrationFailed, EventID: int64(len(list)) + 1, Forced: history.ForcedByOperator})
		case 15: // renumber, and keep references if asked to
			renumber(list, next()%2 == 0)
		}
	}
	return list
}

func renumber(list []history.Event, sources bool) {
	ids := map[int64]int64{}
	for i := range list {
		if _, ok := ids[list[i].EventID]; !ok {
			ids[list[i].EventID] = int64(i) + 1
		}
	}
	for i := range list {
		list[i].EventID = int64(i) + 1
		if sources && list[i].SourceEventID != 0 {
			list[i].SourceEventID = ids[list[i].SourceEventID]
		}
	}
}

// firstCorrupt returns the id of the first event that cannot be at its position.
func firstCorrupt(events []history.Event) (id int64, corrupt bool) {
	for i, e := range events {
		bad := e.EventID != int64(i)+1 || (e.Kind == history.OrchestrationStarted) != (i == 0)
		known := false
		for _, k := range history.Kinds() {
			known = known || k == e.Kind
		}
		for _, earlier := range events[:i] {
			switch earlier.Kind {
			case history.OrchestrationCompleted, history.OrchestrationFailed, history.OrchestrationContinuedAsNew:
				bad = true
			}
			if completesSource(earlier.Kind) != history.KindUnknown && completesSource(e.Kind) != history.KindUnknown && earlier.SourceEventID == e.SourceEventID {
				bad = true
			}
		}
		if want := completesSource(e.Kind); want != history.KindUnknown {
			found := false
			for _, earlier := range events[:i] {
				found = found || earlier.EventID == e.SourceEventID && earlier.Kind == want
			}
			bad = bad || !found
		}
		if e.Kind == history.ExternalRejected {
			at := e.SourceEventID - 1
			bad = bad || at < 0 || at >= int64(i) || events[at].Kind != history.ExternalEvent
		}
		if bad || !known {
			return e.EventID, true
		}
	}
	return 0, false
}

func completesSource(k history.Kind) history.Kind {
	switch k {
	case history.ActivityCompleted, history.ActivityFailed:
		return history.ActivityScheduled
	case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
		return history.SubOrchestrationScheduled
	case history.TimerFired:
		return history.TimerCreated
	}
	return history.KindUnknown
}

// sameOperation reports whether code that starts b agrees with recorded a.
func sameOperation(a, b *history.Event) bool {
	if a.Kind == history.ExternalRejected {
		return b.Kind == a.Kind && b.SourceEventID == a.SourceEventID // The recorded event has the reason.
	}
	return a.Kind == b.Kind && a.Name == b.Name && a.Op == b.Op && a.Version == b.Version && a.ExplicitID == b.ExplicitID &&
		(!a.ExplicitID || a.Instance == b.Instance) && a.DurationMS == b.DurationMS && a.Inline == b.Inline &&
		a.Reason == b.Reason && (a.Kind == history.SystemCall && a.Op != history.OpRaiseEvent || bytes.Equal(a.Payload, b.Payload))
}

func sameEnd(recorded, now *history.Event) bool {
	if recorded.Kind != now.Kind || recorded.Version != now.Version {
		return false
	}
	if recorded.Kind == history.OrchestrationFailed {
		r, n := recorded.Failure, now.Failure
		return r == nil || r.Kind == n.Kind && r.Message == n.Message
	}
	return bytes.Equal(recorded.Payload, now.Payload)
}

// expected is the required result of replaying a history.
type expected struct {
	stuck engine.StuckKind // "" if not stuck
	adds  []history.Event  // the operations that the code starts in a last round without responses
	why   string
}

func nondeterministic(format string, a ...any) expected {
	return expected{stuck: engine.StuckNondeterminism, why: fmt.Sprintf(format, a...)}
}

// expectReplay determines the required result of replaying a sound history.
func expectReplay(p *program, events []history.Event) expected {
	body := events
	var end *history.Event
	if last := &events[len(events)-1]; last.Kind.Terminal() {
		body, end = events[:len(events)-1], last
	}
	if end == nil && isSuspended(events) {
		return expected{}
	}
	var groups []modelArrivals
	answered := true
	for i := range body {
		if body[i].Kind.Scheduling() {
			answered = true
			continue
		}
		if answered {
			groups, answered = append(groups, modelArrivals{nowMS: modelBaseMS}), false
		}
		g := &groups[len(groups)-1]
		g.events = append(g.events, body[i])
	}
	forced := end != nil && end.Forced != ""
	notRun := forced && !answered
	if notRun {
		body = body[:len(body)-len(groups[len(groups)-1].events)]
		groups = groups[:len(groups)-1]
	}
	if len(groups) == 0 {
		return expected{}
	}
	if events[0].Name != modelName || events[0].Version != "" {
		return expected{stuck: engine.StuckNotRegistered}
	}
	m := replayModel(p, 1, events, groups)
	made := m.events
	var madeEnd *history.Event
	if m.ended {
		made, madeEnd = made[:len(made)-1], &made[len(made)-1]
	}
	for i := range body {
		if i >= len(made) {
			return nondeterministic("event %d is not made", i+1)
		}
		if !sameOperation(&body[i], &made[i]) {
			return nondeterministic("event %d is made as %s", i+1, brief(&made[i]))
		}
	}
	free := end == nil && !answered
	switch {
	case len(made) > len(body) && !free:
		return nondeterministic("%s is made besides", brief(&made[len(body)]))
	case notRun && madeEnd != nil:
		return nondeterministic("an end is made before the last round")
	case forced:
		return expected{}
	case end != nil && madeEnd == nil:
		return nondeterministic("the end is not made")
	case end != nil && !sameEnd(end, madeEnd):
		return nondeterministic("the end is %s", brief(madeEnd))
	case end == nil && madeEnd != nil && !free:
		return nondeterministic("an end is made: %s", brief(madeEnd))
	case end == nil && madeEnd == nil && m.deadlock:
		return expected{stuck: engine.StuckDeadlock}
	}
	if end != nil {
		return expected{}
	}
	return expected{adds: m.events[len(body):]}
}

// isSuspended reports whether there is an OrchestrationSuspended after the last
// OrchestrationResumed, so that no code runs.
func isSuspended(events []history.Event) bool {
	suspended := false
	for i := range events {
		if k := events[i].Kind; k == history.OrchestrationSuspended || k == history.OrchestrationResumed {
			suspended = k == history.OrchestrationSuspended
		}
	}
	return suspended
}

// checkDamaged replays a damaged history of p and compares the result with the required
// one.
func checkDamaged(t rapid.TB, p *program, events []history.Event) {
	t.Helper()
	if len(events) == 0 {
		return
	}
	d := newDriver(t, p)
	fail := func(format string, a ...any) {
		t.Helper()
		t.Fatalf(format+"\nhistory:\n%s\nprogram:%v", append(a, show(events), p)...)
	}
	replay := func(arrivals ...engine.Arrival) (engine.Turn, error) {
		d.run = newProgramRun(p)
		x := engine.New(engine.Config{Instance: modelInstance, ExecutionID: 1, Registry: d.reg})
		defer x.Close()
		fed := x.Feed(events, false)
		turn, err := x.Run(engine.Input{NowMS: modelBaseMS, Arrivals: arrivals})
		if (fed == nil) != (err == nil) {
			fail("feeding says %v, running %v", fed, err)
		}
		return turn, err
	}
	turn, err := replay()
	at, corrupt := firstCorrupt(events)
	var ce *engine.CorruptionError
	if corrupt {
		if !errors.As(err, &ce) || ce.EventID != at || len(turn.Events) > 0 || len(d.run.lines) > 0 {
			fail("got %v and %d events, want corruption at event %d and no code run", err, len(turn.Events), at)
		}
		return
	}
	if err != nil {
		fail("got %v for a sound history", err)
	}
	if len(d.run.broken) > 0 {
		fail("%s", strings.Join(d.run.broken, "\n"))
	}
	want := expectReplay(p, events)
	var got engine.StuckKind
	if turn.Stuck != nil {
		got = turn.Stuck.Kind
	}
	if got != want.stuck {
		fail("stuck %q (%v), want %q (%s)", got, turn.Stuck, want.stuck, want.why)
	}
	var nd *engine.NondeterminismError
	if got == engine.StuckNondeterminism && (!errors.As(turn.Stuck, &nd) || nd.EventID < 1 || nd.EventID > int64(len(events)) || nd.Recorded == "" || nd.Attempted == "") {
		fail("the error does not say where: %+v", nd)
	}
	if a, b := comparableEvents(masked(turn.Events)), comparableEvents(masked(want.adds)); a != b {
		fail("adds %s, want %s", a, b)
	}
	// A stuck instance only records arrivals.
	if turn.Stuck != nil && turn.Stuck.Kind != engine.StuckDeadlock {
		turn, err = replay(engine.Arrival{Event: history.Event{Kind: history.ExternalEvent, Name: "e0"}})
		if err != nil || turn.Stuck == nil || len(turn.Events) != 1 || !turn.Parked || turn.Verdicts[0].Kind != engine.Recorded {
			if !events[len(events)-1].Kind.Terminal() {
				fail("with an arrival: %v, stuck %v, events %s, verdict %v", err, turn.Stuck, show(turn.Events), turn.Verdicts)
			}
		}
	}
}

// masked removes what depends on the time, because it is not right in damaged histories.
func masked(events []history.Event) []history.Event {
	list := append([]history.Event(nil), events...)
	for i := range list {
		e := &list[i]
		e.AtMS, e.FireAtMS = 0, 0
		if e.Kind == history.SystemCall && e.Op == history.OpNow {
			e.Payload = nil
		}
	}
	return list
}

// specimen is a program and a history that it made.
type specimen struct {
	p      *program
	events []history.Event
}

func drawSpecimen(t *rapid.T) specimen {
	p := drawProgram(t, everything)
	c := drawCourse(t, p, rapid.IntRange(0, 10).Draw(t, "arrivals"), false)
	defer c.d.close()
	return specimen{p, c.d.histories[0]}
}

func TestPropertyDamagedHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpecimen(t)
		checkDamaged(t, s.p, s.events)
		for range 5 {
			script := rapid.SliceOfN(rapid.Byte(), 2, 12).Draw(t, "damage")
			checkDamaged(t, s.p, damage(s.events, script))
			// A renumbered history passes the structure check more often.
			list := damage(s.events, script)
			renumber(list, true)
			checkDamaged(t, s.p, list)
		}
	})
}

func FuzzDamagedHistory(f *testing.F) {
	// The specimens never change, so that an input can be reproduced.
	list := make([]specimen, 64)
	for i := range list {
		list[i] = rapid.Custom(drawSpecimen).Example(i + 1)
	}
	for i := range uint8(64) {
		f.Add(i, []byte{})
		f.Add(i, []byte{i, 2 * i, 3 * i})
		f.Add(i, []byte{0, i, 15, 0, 0, 2, i, i + 1, 15, 0, 0})
		f.Add(i, []byte{8, i, i + 3, 6, i + 1, i})
	}
	f.Fuzz(func(t *testing.T, which uint8, script []byte) {
		if len(script) > 64 {
			return
		}
		s := list[int(which)%len(list)]
		damaged := damage(s.events, script)
		checkDamaged(t, s.p, damaged)
		renumber(damaged, true)
		checkDamaged(t, s.p, damaged)
	})
}
