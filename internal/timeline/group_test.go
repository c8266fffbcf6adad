package timeline_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func with(e history.Event, input string) history.Event {
	e.Payload = json.RawMessage(input)
	return e
}

func call(op string) history.Event { return history.Event{Kind: history.SystemCall, Op: op} }

func (s *script) grouped() *timeline.Timeline {
	t := s.timeline()
	t.Group([]timeline.Source{timeline.FromTurns(s.execution, s.turns)})
	return t
}

func TestAFanOutIsAGroupLabelledByWhatDistinguishesItsInputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, by, label string }{
		{"a number", `%d`, "", "3"},
		{"an id", `{"tenant":"acme","amount":%d,"id":"o-%[1]d"}`, "id", "o-3"},
		{"an id further down", `{"tenant":"acme","order":{"number":%d},"at":"x%[1]d"}`, "order.number", "3"},
		{"a field of any name", `{"tenant":"acme","at":"x%d"}`, "at", "x3"},
		{"nothing but the whole", `{"tenant":"acme","lines":[%d]}`, "", `{"tenant":"acme","lines":[3]}`},
	} {
		s := newScript(1)
		events := []history.Event{started()}
		for i := range 10 {
			events = append(events, with(act("Book", nil), fmt.Sprintf(c.input, i)))
		}
		s.turn(0, events...)
		s.turn(5, done(2, 1, 1))
		s.turn(9, done(3, 1, 1), done(4, 2, 1))
		tl := s.grouped()
		if len(tl.Groups) != 1 {
			t.Fatalf("%s: %+v", c.name, tl.Groups)
		}
		g := &tl.Groups[0]
		if len(g.Rows) != 10 || g.EventID != 2 || g.Name != "Book" || g.States[timeline.StateDone] != 3 || g.States[timeline.StateOpen] != 7 || !g.To.IsZero() {
			t.Errorf("%s: %+v", c.name, g)
		}
		if g.Took.Of != 3 || g.Took.MinMS != 5000 || g.Took.MaxMS != 9000 || g.Ran.Of != 3 || g.Ran.MinMS != 4000 {
			t.Errorf("%s: took %+v, ran %+v", c.name, g.Took, g.Ran)
		}
		if r := &tl.Rows[3]; g.By != c.by || r.Member != c.label || r.Group != 2 {
			t.Errorf("%s: by %q the label %q", c.name, g.By, r.Member)
		}
	}
}

func TestWavesOfAFanOutAreOneGroupAndASequenceIsNone(t *testing.T) {
	t.Parallel()
	waves, sequence, window := newScript(1), newScript(1), newScript(1)
	waves.turn(0, started(), act("A", nil), act("A", nil), act("A", nil), act("A", nil))
	waves.turn(1, done(2, 0, 1), done(3, 0, 1), done(4, 0, 1))
	waves.turn(2, done(5, 0, 1), act("A", nil), act("A", nil), act("A", nil), act("A", nil))
	if g := waves.grouped().Groups; len(g) != 1 || len(g[0].Rows) != 8 {
		t.Errorf("waves: %+v", g)
	}
	sequence.turn(0, started(), act("A", nil))
	for range 20 {
		sequence.turn(1, done(sequence.next-1, 0, 1), act("A", nil))
	}
	if g := sequence.grouped().Groups; len(g) != 0 {
		t.Errorf("a sequence: %+v", g)
	}
	window.turn(0, started(), act("A", nil), act("A", nil))
	ends := int64(2)
	for range 20 {
		next := window.next + 1
		window.turn(1, done(ends, 0, 1), act("A", nil))
		if ends++; ends > 3 {
			ends = next - 2
		}
	}
	if g := window.grouped().Groups; len(g) != 1 || len(g[0].Rows) != 22 {
		t.Errorf("two at a time: %+v", g)
	}
}

func TestCallsInARowAreOneGroup(t *testing.T) {
	t.Parallel()
	s := newScript(1)
	s.turn(0, started(), call(history.OpNow), call(history.OpGUID), act("A", nil), call(history.OpNow), call(history.OpNow), call(history.OpNow), call(history.OpNow))
	g := s.grouped().Groups
	if len(g) != 1 || g[0].Kind != timeline.KindCall || len(g[0].Rows) != 4 || g[0].EventID != 5 || g[0].Took.Of != 0 {
		t.Errorf("%+v", g)
	}
}

// A reader that has read a timeline up to an event and then receives only what changed knows the groups: a row that is not sent again is
// still in its group.
func TestPropertyARowStaysInItsGroup(t *testing.T) {
	t.Parallel()
	groups := 0
	prefixes := func(what string, x *script) {
		whole := x.grouped()
		formed := map[int64]int64{}
		for i := range whole.Groups {
			formed[whole.Groups[i].EventID] = whole.Groups[i].Formed
			groups++
		}
		for n := 1; n < len(x.turns); n++ {
			part := (&script{execution: x.execution, turns: x.turns[:n]}).grouped()
			last := x.turns[n-1].Last()
			for i := range part.Rows {
				was, is := &part.Rows[i], &whole.Rows[i]
				if told := formed[is.Group] > last; !told && (was.Group != is.Group || was.Member != is.Member) {
					t.Fatalf("%s: event %d is in group %d as %q after event %d, and in %d as %q at the end", what, is.EventID, was.Group, was.Member, last, is.Group, is.Member)
				}
			}
		}
	}
	for seed := uint64(1); seed <= 300; seed++ {
		prefixes(fmt.Sprint("seed ", seed), randomScript(rand.New(rand.NewPCG(seed, 7))))
	}
	s := newScript(1)
	s.turn(0, started(), act("A", nil), call(history.OpNow))
	for i := range 12 {
		s.turn(int64(i), event("e"), with(act("A", nil), fmt.Sprint(i)), call(history.OpNow))
	}
	prefixes("calls between", s)
	if groups < 300 {
		t.Errorf("%d groups: the test has lost what it looks at", groups)
	}
}

// randomScript returns an execution with concurrent operations.
func randomScript(random *rand.Rand) *script {
	s := newScript(1)
	var open []int64
	events := []history.Event{started()}
	for second := range int64(25) {
		for range random.IntN(1 + random.IntN(7)) {
			switch random.IntN(5) {
			case 0:
				events = append(events, call(history.OpNow))
			case 1:
				open = append(open, s.next+int64(len(events)))
				events = append(events, with(act("B", nil), fmt.Sprintf(`{"id":%d}`, random.IntN(100))))
			default:
				open = append(open, s.next+int64(len(events)))
				events = append(events, with(act("A", nil), fmt.Sprint(len(events))))
			}
		}
		s.turn(second, events...)
		events = []history.Event{event("tick")}
		for len(open) > 0 && random.IntN(3) > 0 {
			n := random.IntN(len(open))
			events = append(events, done(open[n], 0, 1))
			open = append(open[:n], open[n+1:]...)
		}
	}
	return s
}
