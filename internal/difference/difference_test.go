package difference

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// execution is one with these events.
func execution(id int64, events ...history.Event) Execution {
	for i := range events {
		events[i].EventID, events[i].AtMS = int64(i+1), id*1_000_000+int64(i)*10
	}
	return Execution{Timeline: timeline.New("i", timeline.FromTurns(id, []store.Turn{{Instance: "i", ExecutionID: id, Events: events}})), Events: events}
}

func startedAt(input string) history.Event {
	return history.Event{Kind: history.OrchestrationStarted, Name: "Main", Payload: []byte(input), Start: &history.Start{ExecutionID: 1}}
}

func act(name, input string) history.Event {
	return history.Event{Kind: history.ActivityScheduled, Name: name, Payload: []byte(input)}
}

func done(of int64, result string) history.Event {
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: of, Payload: []byte(result), Attempt: 1}
}

func childOf(id string) history.Event {
	return history.Event{Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: id}
}

// childFailed is a failure as a ChildError has it.
func childFailed(id string) history.Event {
	return history.Event{Kind: history.SubOrchestrationFailed, SourceEventID: 2, Failure: &history.Failure{Kind: history.FailureApplication, Message: fmt.Sprintf("sub-orchestration %q (instance %q) failed: no", "Ship", id)}}
}

func TestAnEndIsShownAsAStatus(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]history.Event{
		"completed": {Kind: history.OrchestrationCompleted}, "continued as new": {Kind: history.OrchestrationContinuedAsNew},
		"failed":     {Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureApplication}},
		"cancelled":  {Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureCancelled}},
		"terminated": {Kind: history.OrchestrationFailed, Forced: history.ForcedByOperator},
	} {
		if got := EndState(&e); got != want {
			t.Errorf("%s (%s) is said as %q, want %q", e.Kind, e.Forced, got, want)
		}
	}
}

// lines are rows in a line each: = ~ < >, kind, name, what differs.
func lines(rows []Row) string {
	var out []string
	for i := range rows {
		r := &rows[i]
		sign := "~"
		switch {
		case r.Equal():
			sign = "="
		case r.A == nil:
			sign = ">"
		case r.B == nil:
			sign = "<"
		}
		out = append(out, strings.TrimSpace(strings.Join([]string{sign, r.Kind, r.Name, strings.Join(r.Differs, ",")}, " ")))
	}
	return strings.Join(out, "|")
}

func TestExecutionsAreComparedOperationByOperation(t *testing.T) {
	t.Parallel()
	ended := func(result string) history.Event {
		return history.Event{Kind: history.OrchestrationCompleted, Payload: []byte(result)}
	}
	call := func(op, value string) history.Event {
		return history.Event{Kind: history.SystemCall, Op: op, Payload: []byte(value)}
	}
	failed := history.Event{Kind: history.ActivityFailed, SourceEventID: 2, Attempt: 3, Failure: &history.Failure{Kind: "application", Message: "declined", Attempt: 3}}
	for _, c := range []struct {
		name string
		a, b Execution
		want string
	}{
		{"equal, but for times and white space", execution(1, startedAt(`{"a":1}`), act("A", `[1]`), done(2, "2"), ended("3")), execution(2, startedAt(`{ "a": 1 }`), act("A", "[ 1 ]"), done(2, "2"), ended("3")),
			"= start|= activity A|= end"},
		{"inputs and results", execution(1, startedAt("1"), act("A", "1"), done(2, "2"), ended("3")), execution(1, startedAt("2"), act("A", "2"), done(2, "3"), ended("4")),
			"~ start  input|~ activity A input,result|~ end  result"},
		{"one failed", execution(1, startedAt("1"), act("A", "1"), done(2, "2"), ended("3")), execution(1, startedAt("1"), act("A", "1"), failed, history.Event{Kind: history.OrchestrationFailed, Failure: failed.Failure}),
			"= start|~ activity A state,result,failure,attempts|~ end  state,result,failure"},
		{"one goes on", execution(1, startedAt("1"), act("A", "1")), execution(1, startedAt("1"), act("A", "1"), done(2, "2"), ended("3")),
			"= start|~ activity A state,result,attempts|> end"},
		{"one more in the middle, of the same name", execution(1, startedAt("1"), act("A", "1"), act("A", "2"), act("A", "3")), execution(1, startedAt("1"), act("A", "1"), act("A", "x"), act("A", "2"), act("A", "3")),
			"= start|= activity A|> activity A|= activity A|= activity A"},
		{"others in their place", execution(1, startedAt("1"), act("A", "1"), act("B", "1"), act("C", "1")), execution(1, startedAt("1"), act("A", "1"), act("D", "1"), act("C", "2")),
			"= start|= activity A|< activity B|> activity D|~ activity C input"},
		{"the clock and ids are new each time, a side effect is not", execution(1, startedAt("1"), call(history.OpNow, "1"), call(history.OpGUID, `"a"`), call(history.OpSideEffect, "1")),
			execution(1, startedAt("1"), call(history.OpNow, "2"), call(history.OpGUID, `"b"`), call(history.OpSideEffect, "2")), "= start|= call|= call|~ call  value"},
		{"timers", execution(1, startedAt("1"), history.Event{Kind: history.TimerCreated, DurationMS: 5}), execution(1, startedAt("1"), history.Event{Kind: history.TimerCreated, DurationMS: 6}), "= start|~ timer  duration"},
		{"timers that are due at the same time", execution(1, startedAt("1"), history.Event{Kind: history.TimerCreated, DurationMS: 5, FireAtMS: 90}), execution(1, startedAt("1"), history.Event{Kind: history.TimerCreated, DurationMS: 6, FireAtMS: 90}), "= start|= timer"},
		{"failures that name the instances", execution(1, startedAt("1"), childOf("i/1/2"), childFailed("i/1/2"), history.Event{Kind: history.OrchestrationFailed, Failure: childFailed("i/1/2").Failure}),
			execution(1, startedAt("1"), childOf("i/2/2"), childFailed("i/2/2"), history.Event{Kind: history.OrchestrationFailed, Failure: childFailed("i/2/2").Failure}), "= start|= child Ship|= end"},
		{"an end by cancel", execution(1, startedAt("1"), history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureCancelled, Message: "x"}}),
			execution(1, startedAt("1"), history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureApplication, Message: "x"}}), "= start|~ end  state,failure"},
		{"nothing at all", execution(1), execution(1, startedAt("1")), "> start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := lines(Of(c.a, c.b)); got != c.want {
				t.Errorf("it is\n%s\nwant\n%s", got, c.want)
			}
			mirrored := strings.NewReplacer("<", ">", ">", "<").Replace(lines(Of(c.b, c.a)))
			if c.name != "others in their place" && mirrored != c.want {
				t.Errorf("the other way round it is\n%s\nwant\n%s", mirrored, c.want)
			}
		})
	}
}

// However two sequences are aligned, pairs are of equal elements and in the order of both;
// of short ones there are as many as can be, of long ones all of what is equal throughout.
func TestAlignmentKeepsTheOrderOfBoth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 1))
		sequence := func(n int) []byte {
			s := make([]byte, n)
			for i := range s {
				s[i] = byte('a' + draw.IntN(6))
			}
			return s
		}
		a, b := sequence(draw.IntN(30)), sequence(draw.IntN(30))
		for name, pairs := range map[string][]pair{"align": align(a, b), "longest": longest(a, b), "byOccurrence": byOccurrence(a, b)} {
			last := pair{-1, -1}
			for _, p := range pairs {
				if a[p.a] != b[p.b] || p.a <= last.a || p.b <= last.b {
					t.Fatalf("%s of %s and %s pairs %v behind %v", name, a, b, p, last)
				}
				last = p
			}
			if want := common(a, b); name != "byOccurrence" && len(pairs) != want {
				t.Errorf("%s of %s and %s has %d pairs, %d are the most", name, a, b, len(pairs), want)
			}
		}
	}
	long := make([]string, 5000)
	for i := range long {
		long[i] = fmt.Sprint(i)
	}
	other := append([]string{"x"}, append(append([]string{}, long[:2000]...), append([]string{"y", "z"}, long[2500:]...)...)...)
	if n := len(align(long, append(other, "end"))); n != 4500 {
		t.Errorf("of 5,000 operations of which 4,500 are in both, %d are paired", n)
	}
}

// common is the length of the longest common sequence, found the slow way.
func common(a, b []byte) int {
	before := make([]int, len(b)+1)
	for i := range a {
		now := make([]int, len(b)+1)
		for j := range b {
			if a[i] == b[j] {
				now[j+1] = before[j] + 1
			} else {
				now[j+1] = max(now[j], before[j+1])
			}
		}
		before = now
	}
	return before[len(b)]
}
