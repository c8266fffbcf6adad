package memory_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/journal"
)

// model is a FIFO or standard queue with its dead-letter queue, deliberately
// dumb: one slice, searched through for everything.
type model struct {
	fifo       bool
	visibility time.Duration
	limit      int
	now        time.Time
	msgs       []*modelMessage // in the order of sending
	sent       []modelSent
	shown      int // counts what became visible, for the order of a standard queue
	dead       []string
	turns      []string // groups of a standard queue with visible messages, the next first
}

type modelMessage struct {
	id, group, body string
	due             time.Time // in flight or delayed until then, zero: visible
	inFlight        bool
	received        int
	shown           int
}

type modelSent struct {
	group, dedup, id string
	at               time.Time
}

func (m *model) send(group, dedup, body string, delay time.Duration) string {
	if m.fifo {
		for _, s := range m.sent {
			if s.group == group && s.dedup == dedup && m.now.Sub(s.at) < journal.DedupWindow {
				return s.id
			}
		}
	}
	id := fmt.Sprintf("queue-%d", len(m.sent)+1)
	m.sent = append(m.sent, modelSent{group, dedup, id, m.now})
	msg := &modelMessage{id: id, group: group, body: body}
	if delay > 0 {
		msg.due = m.now.Add(delay)
	} else {
		m.show(msg)
	}
	m.msgs = append(m.msgs, msg)
	return id
}

func (m *model) show(msg *modelMessage) {
	m.shown++
	msg.due, msg.inFlight, msg.shown = time.Time{}, false, m.shown
	if !slices.Contains(m.turns, msg.group) {
		m.turns = append(m.turns, msg.group)
	}
}

// visible returns the visible messages of a group, in the order of becoming so.
func (m *model) visible(group string) (all []*modelMessage) {
	for _, msg := range m.msgs {
		if msg.group == group && msg.due.IsZero() {
			all = append(all, msg)
		}
	}
	slices.SortFunc(all, func(a, b *modelMessage) int { return cmp.Compare(a.shown, b.shown) })
	return all
}

// prune takes groups without visible messages out of the turns.
func (m *model) prune() {
	m.turns = slices.DeleteFunc(m.turns, func(group string) bool { return len(m.visible(group)) == 0 })
}

// step makes visible or dead-letters what is due, in the order of due times.
func (m *model) step() {
	var due []*modelMessage
	for _, msg := range m.msgs {
		if !msg.due.IsZero() && !msg.due.After(m.now) {
			due = append(due, msg)
		}
	}
	slices.SortStableFunc(due, func(a, b *modelMessage) int { return a.due.Compare(b.due) })
	for _, msg := range due {
		if msg.inFlight && msg.received >= m.limit {
			m.dead = append(m.dead, msg.body)
			m.remove(msg)
		} else {
			m.show(msg)
		}
	}
}

func (m *model) remove(msg *modelMessage) {
	i := slices.Index(m.msgs, msg)
	m.msgs = slices.Delete(m.msgs, i, i+1)
	m.prune()
}

func (m *model) blocked(group string) bool {
	return m.fifo && slices.ContainsFunc(m.msgs, func(o *modelMessage) bool { return o.group == group && o.inFlight })
}

func (m *model) receive(max int) []string {
	var candidates []*modelMessage
	for _, msg := range m.msgs {
		if msg.due.IsZero() && !m.blocked(msg.group) {
			candidates = append(candidates, msg)
		}
	}
	if m.fifo {
		// Groups by their oldest visible message, whole groups at a time.
		oldest := func(group string) int {
			return slices.IndexFunc(candidates, func(c *modelMessage) bool { return c.group == group })
		}
		ordered := slices.Clone(candidates)
		slices.SortStableFunc(ordered, func(a, b *modelMessage) int { return cmp.Compare(oldest(a.group), oldest(b.group)) })
		candidates = ordered
	}
	var out []string
	take := func(msg *modelMessage) {
		msg.inFlight, msg.due = true, m.now.Add(m.visibility)
		msg.received++
		out = append(out, fmt.Sprintf("%s %s %d", msg.id, msg.body, msg.received))
	}
	for !m.fifo && len(m.turns) > 0 && len(out) < max {
		group := m.turns[0]
		take(m.visible(group)[0])
		m.turns = append(m.turns[1:], group)
		m.prune()
	}
	for i := 0; m.fifo && i < min(max, len(candidates)); i++ {
		take(candidates[i])
	}
	return out
}

func (m *model) find(id string) *modelMessage {
	for _, msg := range m.msgs {
		if msg.id == id {
			return msg
		}
	}
	return nil
}

func TestTheQueueBehavesAsTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		c := newClock()
		m := &model{fifo: rapid.Bool().Draw(t, "fifo"), visibility: 10 * time.Second, limit: 3, now: c.Now()}
		kept, keptDead := newNotes(m.fifo), newNotes(m.fifo)
		open := func() (dead, q *memory.Queue) {
			dead, err := memory.New(memory.Options{Name: "dead", FIFO: m.fifo, Clock: c, Journal: keptDead})
			if err != nil {
				t.Fatal(err)
			}
			q, err = memory.New(memory.Options{FIFO: m.fifo, Clock: c, Visibility: m.visibility, DeadLetter: dead, MaxReceiveCount: m.limit, Journal: kept})
			if err != nil {
				t.Fatal(err)
			}
			return dead, q
		}
		dead, q := open()
		defer func() {
			q.Close()
			dead.Close()
		}()

		var held []queue.Message // the deliveries so far, the stale ones too
		pick := func(t *rapid.T) queue.Message {
			if len(held) == 0 {
				t.Skip("nothing was received yet")
			}
			return rapid.SampledFrom(held).Draw(t, "delivery")
		}
		// current is the model's message if the delivery is still the latest.
		current := func(d queue.Message) *modelMessage {
			if msg := m.find(d.ID); msg != nil && msg.received == d.ReceiveCount {
				return msg
			}
			return nil
		}
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				group := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group")
				dedup := rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6"}).Draw(t, "dedup")
				body := fmt.Sprintf("body-%d", len(m.sent))
				var delay time.Duration
				if !m.fifo {
					delay = time.Duration(rapid.IntRange(0, 20).Draw(t, "delay")) * time.Second
				}
				want := m.send(group, dedup, body, delay)
				ids, err := q.SendIDs(ctx, queue.Outgoing{Body: body, Group: group, DedupID: dedup, Delay: delay})
				if err != nil || ids[0] != want {
					t.Fatalf("sent as %q, %v; want %q", ids, err, want)
				}
			},
			"receive": func(t *rapid.T) {
				max := rapid.IntRange(1, queue.MaxReceive).Draw(t, "max")
				want := m.receive(max)
				msgs, err := q.Receive(ctx, max, 0)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, msg := range msgs {
					got = append(got, fmt.Sprintf("%s %s %d", msg.ID, msg.Body, msg.ReceiveCount))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("received %q, want %q", got, want)
				}
				held = append(held, msgs...)
			},
			"delete": func(t *rapid.T) {
				d := pick(t)
				gone := m.find(d.ID) == nil
				err := q.Delete(ctx, d)
				msg := current(d)
				good := msg != nil && (msg.inFlight || !m.fifo)
				if good {
					m.remove(msg)
				}
				if (err == nil) != (good || gone) {
					t.Fatalf("Delete: %v; receipt good: %t, message gone: %t", err, good, gone)
				}
			},
			"set visibility": func(t *rapid.T) {
				d := pick(t)
				after := time.Duration(rapid.IntRange(0, 30).Draw(t, "visibility")) * time.Second
				err := q.SetVisibility(ctx, after, d)
				msg := current(d)
				good := msg != nil && msg.inFlight
				if good {
					msg.due = m.now.Add(after)
					m.step()
				}
				if (err == nil) != good {
					t.Fatalf("SetVisibility: %v; receipt good: %t", err, good)
				}
			},
			"let time pass": func(t *rapid.T) {
				d := time.Duration(rapid.SampledFrom([]int{1, 3, 10, 100}).Draw(t, "seconds")) * time.Second
				c.Advance(d)
				m.now = m.now.Add(d)
				m.step()
			},
			"reopen": func(t *rapid.T) {
				q.Close()
				dead.Close()
				dead, q = open()
				m.turns = nil
				// What was in flight is visible again, all in the order of sending.
				for _, msg := range m.msgs {
					if msg.inFlight || !msg.due.After(m.now) {
						m.show(msg)
					}
				}
			},
			"": func(t *rapid.T) {
				var want memory.Counts
				receivable := false
				for _, msg := range m.msgs {
					switch {
					case msg.inFlight:
						want.InFlight++
					case !msg.due.IsZero():
						want.Delayed++
					default:
						want.Visible++
						receivable = receivable || !m.blocked(msg.group)
					}
				}
				if got := q.Counts(); got != want {
					t.Fatalf("counts %+v, want %+v", got, want)
				}
				if got := closed(q.Ready()); got != receivable {
					t.Fatalf("ready: %t, want %t", got, receivable)
				}
				var deadBodies []string
				for _, msg := range dead.Peek() {
					deadBodies = append(deadBodies, msg.Body)
				}
				if !slices.Equal(deadBodies, m.dead) {
					t.Fatalf("dead letters %q, want %q", deadBodies, m.dead)
				}
			},
		})
	})
}
