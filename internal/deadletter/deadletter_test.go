package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stack are the queues of a stack, in memory and virtual time.
type stack struct {
	t      *testing.T
	clock  *clock.Virtual
	queues deadletter.Queues
	memory map[string]*memory.Queue
}

func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{t: t, clock: clock.NewVirtual(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)), queues: deadletter.Queues{}, memory: map[string]*memory.Queue{}}
	for _, name := range append(deadletter.Sources(), deadletter.Final()...) {
		q, err := memory.New(memory.Options{Name: name, FIFO: name == deadletter.Orchestrator || name == deadletter.DeadFIFO, Clock: s.clock})
		if err != nil {
			t.Fatal(err)
		}
		s.queues[name], s.memory[name] = q, q
	}
	return s
}

// dead puts a message into a final queue, for a reason ("" for none).
func (s *stack) dead(name, group, body string, reason wire.Reason, sender string) {
	s.t.Helper()
	out := queue.Outgoing{Body: body, Attributes: map[string]string{"trace": "t-1"}}
	if name == deadletter.DeadFIFO {
		out.Group = group
	}
	if reason != "" {
		out.Attributes[wire.ReasonAttribute] = string(reason) + ": as the host has it"
	}
	if err := s.memory[name].SendFrom(s.t.Context(), sender, out); err != nil {
		s.t.Fatal(err)
	}
}

// event is the body of an event for an instance.
func event(instance, id string) string {
	return fmt.Sprintf(`{"v":1,"kind":"ExternalRaised","instance":%q,"id":%q,"name":"go"}`, instance, id)
}

// attempt is the body of an attempt.
func attempt(instance string) string {
	return fmt.Sprintf(`{"v":1,"kind":"ActivityExecute","instance":%q,"execution_id":1,"scheduling_event_id":2,"name":"A","token":"0123456789abcdef"}`, instance)
}

// all returns the dead letters of a queue, and lets each stay.
func (s *stack) all(name string) (letters []*deadletter.Letter) {
	s.t.Helper()
	err := s.queues.Look(s.t.Context(), name, 0, func(l *deadletter.Letter) (deadletter.Verdict, error) {
		letters = append(letters, l)
		return deadletter.Verdict{}, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return letters
}

func TestEachDeadLetterIsSeenOnceAndStays(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	for i := range 25 {
		s.dead(deadletter.DeadFIFO, fmt.Sprint("order-", i), event(fmt.Sprint("order-", i), fmt.Sprint(i)), wire.ReasonUnknownInstance, "")
	}
	for round := range 2 { // The messages of the first look are visible for the second.
		seen := map[string]bool{}
		for _, l := range s.all(deadletter.DeadFIFO) {
			if seen[l.ID] || l.Queue != deadletter.DeadFIFO || l.Reason != wire.ReasonUnknownInstance || l.Text != "as the host has it" {
				t.Errorf("look %d: %+v, seen before: %t", round, l, seen[l.ID])
			}
			seen[l.ID] = true
		}
		if len(seen) != 25 {
			t.Errorf("look %d sees %d", round, len(seen))
		}
	}
	if c := s.memory[deadletter.DeadFIFO].Counts(); c.InFlight != 0 {
		t.Errorf("%+v are hidden", c)
	}
}

// Look makes messages visible again even if it stops in the middle.
func TestALookThatIsCutShortHidesNothing(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	for i := range 12 {
		s.dead(deadletter.Dead, "", event("order-1", fmt.Sprint(i)), "", "")
	}
	boom := errors.New("boom")
	ctx, cancel := context.WithCancel(t.Context())
	for name, visit := range map[string]func(*deadletter.Letter) (deadletter.Verdict, error){
		"at the last one wanted": func(*deadletter.Letter) (deadletter.Verdict, error) { return deadletter.Verdict{Last: true}, nil },
		"by an error":            func(*deadletter.Letter) (deadletter.Verdict, error) { return deadletter.Verdict{}, boom },
		"by Ctrl-C": func(*deadletter.Letter) (deadletter.Verdict, error) {
			cancel()
			return deadletter.Verdict{}, nil
		},
	} {
		err := s.queues.Look(ctx, deadletter.Dead, 0, visit)
		if err != nil && !errors.Is(err, boom) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if c := s.memory[deadletter.Dead].Counts(); c.InFlight != 0 || c.Visible != 12 {
			t.Errorf("%s: %+v", name, c)
		}
		if ctx.Err() != nil {
			ctx, cancel = context.WithCancel(t.Context())
		}
	}
	cancel()
	if err := s.queues.Look(t.Context(), "nowhere", 0, nil); err == nil || !strings.Contains(err.Error(), `unknown queue "nowhere"`) {
		t.Errorf("a queue that does not exist: %v", err)
	}
}

func TestDeadLettersAreSelectedByWhatTheyAre(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.dead(deadletter.DeadFIFO, "a", event("a", "1"), wire.ReasonUnknownInstance, "")
	s.dead(deadletter.DeadFIFO, "b", "no item", wire.ReasonMalformed, "")
	s.dead(deadletter.Dead, "", event("a", "2"), "", "")
	s.dead(deadletter.Dead, "", attempt("c"), wire.ReasonExpired, "")
	id := s.all(deadletter.Dead)[0].ID
	for name, c := range map[string]struct {
		selection deadletter.Selection
		limit     int
		want      string
		more      []string
	}{
		"all":                     {deadletter.Selection{}, 10, "a b a c", nil},
		"of a queue":              {deadletter.Selection{Queue: deadletter.Dead}, 10, "a c", nil},
		"of an instance":          {deadletter.Selection{Instance: "a"}, 10, "a a", nil},
		"by its group, unread":    {deadletter.Selection{Instance: "b"}, 10, "b", nil},
		"by reason":               {deadletter.Selection{Reason: "malformed"}, 10, "b", nil},
		"without one":             {deadletter.Selection{Reason: deadletter.NoReason}, 10, "a", nil},
		"by id":                   {deadletter.Selection{IDs: []string{id}}, 1, "a", nil},
		"by id, from another one": {deadletter.Selection{IDs: []string{id}, Queue: deadletter.DeadFIFO}, 1, "", nil},
		"up to a bound":           {deadletter.Selection{}, 1, "a a", []string{deadletter.DeadFIFO, deadletter.Dead}},
	} {
		letters, more, err := s.queues.Select(t.Context(), &c.selection, c.limit, 0)
		var got []string
		for _, l := range letters {
			got = append(got, l.Instance())
		}
		if err != nil || strings.Join(got, " ") != c.want || !slices.Equal(more, c.more) {
			t.Errorf("%s: %q, more in %q, %v; want %q, %q", name, got, more, err, c.want, c.more)
		}
	}
	for _, bad := range []deadletter.Selection{{Queue: deadletter.Activity}, {Reason: "odd"}} {
		if invalid, is := errors.AsType[*deadletter.InvalidError](bad.Check()); !is || !strings.Contains(invalid.Error(), "one of") {
			t.Errorf("%+v is checked with %v", bad, bad.Check())
		}
	}
	for _, reason := range wire.Reasons() {
		if err := (&deadletter.Selection{Reason: string(reason)}).Check(); err != nil {
			t.Error(err)
		}
		if deadletter.Advice(reason) == deadletter.Advice("odd") {
			t.Errorf("there is no advice on %s", reason)
		}
	}
}

// A dead letter returns to the queue that it came from, where it counts as redelivered and has a new deduplication id.
func TestARedrivenDeadLetterGoesWhereItCameFrom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, body string
		reason     wire.Reason
		to         string
	}{
		"an event of the orchestrator queue":    {deadletter.DeadFIFO, event("a", "1"), wire.ReasonUnknownInstance, deadletter.Orchestrator},
		"an attempt on the orchestrator queue":  {deadletter.DeadFIFO, attempt("a"), wire.ReasonMisaddressed, deadletter.Orchestrator},
		"an event of the delay queue":           {deadletter.Dead, event("a", "1"), "", deadletter.Delay},
		"an attempt that nobody took":           {deadletter.Dead, attempt("a"), "", deadletter.Activity},
		"an attempt that was too old":           {deadletter.Dead, attempt("a"), wire.ReasonExpired, deadletter.Activity},
		"what cannot be read, of a FIFO queue":  {deadletter.DeadFIFO, "no item", wire.ReasonMalformed, deadletter.Orchestrator},
		"what cannot be read, of another queue": {deadletter.Dead, "no item", wire.ReasonMalformed, deadletter.Delay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			s.dead(c.from, "a", c.body, c.reason, "AROAFIRST:session")
			before := s.all(c.from)[0]
			out, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{Selection: deadletter.Selection{IDs: []string{before.ID}}}, s.clock.Now, nil)
			if err != nil || len(out.Done) != 1 || out.Done[0].Err != nil || out.Done[0].To != c.to || len(out.Missing) > 0 {
				t.Fatalf("%+v, %v", out, err)
			}
			if left := s.memory[c.from].Peek(); len(left) > 0 {
				t.Errorf("it is still there: %+v", left)
			}
			sent := s.memory[c.to].Peek()
			if len(sent) != 1 || sent[0].Body != c.body {
				t.Fatalf("sent is %+v", sent)
			}
			m := sent[0]
			if m.Attributes[wire.RedriveAttribute] == "" || m.Attributes[wire.ReasonAttribute] != "" || m.Attributes["trace"] != "t-1" || !strings.Contains(m.Attributes[wire.SenderAttribute], "AROAFIRST") {
				t.Errorf("its attributes are %v", m.Attributes)
			}
			if c.to == deadletter.Orchestrator && (m.Group == "" || m.DedupID == "" || m.DedupID == before.DedupID) {
				t.Errorf("its group is %q, its deduplication id %q, before %q", m.Group, m.DedupID, before.DedupID)
			}
		})
	}
}

// A dead letter that is older than half of the maximum age is sent as a new message.
func TestAnOldDeadLetterIsRedrivenAsANewOne(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	sent := s.clock.Now().UnixMilli()
	s.dead(deadletter.Dead, "", fmt.Sprintf(`{"v":1,"kind":"ExternalRaised","instance":"a","id":"1","name":"go","sent_ms":%d}`, sent), wire.ReasonExpired, "")
	s.clock.Advance(wire.MaxAge)
	letter := s.all(deadletter.Dead)[0]
	if err := s.queues.Remove(t.Context(), letter, deadletter.Delay, s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	item, err := wire.Parse([]byte(s.memory[deadletter.Delay].Peek()[0].Body))
	if err != nil || item.SentMS != s.clock.Now().UnixMilli() || item.ID != "1" {
		t.Errorf("it goes as %+v, %v", item, err)
	}
}

func TestADeadLetterThatCannotBeMovedStaysWithTheReason(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such queue any more")
	for name, c := range map[string]struct {
		from, group, body string
		reason            wire.Reason
		to                string
		want              string
	}{
		"a sender that was refused":              {deadletter.DeadFIFO, "a", event("a", "1"), wire.ReasonSender, "", "find the sender"},
		"what cannot be read, to a FIFO queue":   {deadletter.Dead, "", "no item", wire.ReasonMalformed, deadletter.Orchestrator, "could not be parsed"},
		"a queue that takes nothing any more":    {deadletter.Dead, "", event("a", "1"), "", deadletter.ActivityDead, broken.Error()},
		"what was sent and could not be deleted": {deadletter.Dead, "", event("a", "1"), "", deadletter.Delay, "the message was sent to delay, but could not be deleted here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			s.dead(c.from, c.group, c.body, c.reason, "")
			s.queues[deadletter.ActivityDead] = failing{s.queues[deadletter.ActivityDead], broken, nil}
			if strings.Contains(c.want, "could not be deleted") {
				s.queues[deadletter.Dead] = failing{s.queues[deadletter.Dead], nil, broken}
			}
			out, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{To: c.to}, s.clock.Now, nil)
			if err != nil || len(out.Done) != 1 || out.Done[0].Err == nil || !strings.Contains(out.Done[0].Err.Error(), c.want) {
				t.Fatalf("%+v, %v", out, err)
			}
			if n := len(s.memory[c.from].Peek()); n != 1 {
				t.Errorf("%d are left", n)
			}
			if count := s.memory[c.from].Counts(); count.InFlight != 0 {
				t.Errorf("it is hidden: %+v", count)
			}
		})
	}
}

// failing is a queue that fails to send or to delete.
type failing struct {
	queue.Queue
	send, remove error
}

func (q failing) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if q.send != nil {
		return q.send
	}
	return q.Queue.Send(ctx, msgs...)
}

func (q failing) Delete(ctx context.Context, m queue.Message) error {
	if q.remove != nil {
		return q.remove
	}
	return q.Queue.Delete(ctx, m)
}

func TestARemovalSaysWhatItDidAndWhatItLeft(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.dead(deadletter.Dead, "", event("a", "1"), "", "")
	s.dead(deadletter.Dead, "", event("b", "2"), "", "")
	now := s.clock.Now()
	s.clock.Advance(time.Second)
	s.dead(deadletter.Dead, "", event("c", "3"), "", "")
	startedAt := func() time.Time { return now }

	told := 0
	dry, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{DryRun: true}, startedAt, func(r *deadletter.Removed) {
		told++
		if r.To != deadletter.Delay || r.Err != nil {
			t.Errorf("told of %+v", r)
		}
	})
	if err != nil || len(dry.Done) != 2 || told != 2 || dry.Late != 1 || len(s.memory[deadletter.Dead].Peek()) != 3 || len(s.memory[deadletter.Delay].Peek()) != 0 {
		t.Errorf("the dry run says %+v, %v, and told of %d", dry, err, told)
	}
	removed, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{Delete: true}, startedAt, nil)
	if err != nil || len(removed.Done) != 2 || removed.Done[0].To != "" || removed.Late != 1 || len(s.memory[deadletter.Dead].Peek()) != 1 {
		t.Errorf("the removal says %+v, %v", removed, err)
	}
	// A dead letter that is selected by id is removed whenever it arrived.
	last := s.all(deadletter.Dead)[0].ID
	byID, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{Delete: true, Selection: deadletter.Selection{IDs: []string{last, "gone"}}}, startedAt, nil)
	if err != nil || len(byID.Done) != 1 || !slices.Equal(byID.Missing, []string{"gone"}) {
		t.Errorf("by id: %+v, %v", byID, err)
	}
	if _, err := s.queues.RemoveAll(t.Context(), &deadletter.Removal{To: "nowhere"}, startedAt, nil); !errors.As(err, new(*deadletter.InvalidError)) {
		t.Errorf("to nowhere: %v", err)
	}
}

func TestADeadLetterSaysWhatItIs(t *testing.T) {
	t.Parallel()
	m := queue.Message{ID: "m-1", Group: "g", Attributes: map[string]string{wire.ReasonAttribute: "invalid_field: wire: invalid_field: instance: is missing"}}
	m.Body = `{"v":1,"kind":"ExternalRaised"}`
	l := deadletter.LetterOf(deadletter.DeadFIFO, m)
	if l.Kind() != "ExternalRaised" || l.Unread == nil || l.Instance() != "g" || l.Why() != "invalid_field: instance: is missing" {
		t.Errorf("it is %s for %s: %s, %v", l.Kind(), l.Instance(), l.Why(), l.Unread)
	}
	m.Body, m.Attributes = "nonsense", nil
	if l := deadletter.LetterOf(deadletter.Dead, m); l.Kind() != "?" || l.Why() != "moved by SQS after its last receive" {
		t.Errorf("it is %s: %s", l.Kind(), l.Why())
	}
	// An item without an id of its own has the id of its message.
	m.Body = `{"v":1,"kind":"ExternalRaised","instance":"a","name":"go"}`
	if l := deadletter.LetterOf(deadletter.Dead, m); l.Unread != nil || l.Item.ID != "m-1" {
		t.Errorf("it goes by %q: %v", l.Item.ID, l.Unread)
	}
	if body, encoded, err := deadletter.LetterOf(deadletter.Dead, m).Opened(nil); body != "" || encoded != nil || err != nil {
		t.Errorf("a plain one is opened as %q, %v, %v", body, encoded, err)
	}
}
