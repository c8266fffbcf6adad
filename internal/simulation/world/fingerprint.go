package world

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// Fingerprint identifies a state.
type Fingerprint [sha256.Size]byte

// Fingerprint returns a hash of everything that determines the future of a walk. Two states
// with the same hash have the same future, so the search explores only one of them. This
// relies on the following:
//
//   - It contains the complete durable state: histories, records, states of activities
//     (without claims of attempts, because no scope has an activity that runs at most
//     once), messages with their receive counts and positions, the deduplication state of
//     the queues, schedules, and the time.
//   - Code and host are deterministic. What a process does next is a function of its build
//     and of everything that it has received since it started: its batches, the answer to
//     each call, and the time of each (noteReceived). A process that keeps nothing warm receives
//     everything again with its next batch. Its random numbers are a function of its batch.
//   - A call that lands later is a function of what its process had received.
//   - The checker's knowledge is a function of the stored state. There are two exceptions: the
//     events that each process has seen, which are a function of what it received, and whether
//     an instance was created since an invocation started, which is recorded.
//
// Names of processes are left out, because nothing depends on them. Ids of messages are
// included, although they depend on the order of sending: that costs states, and saves a
// proof.
func (k *Walk) Fingerprint() Fingerprint {
	var b strings.Builder
	w := k.W
	fmt.Fprintf(&b, "%d %+v sent %d\n", w.Clock.Now().UnixMilli(), k.left, k.sent)
	if w.Build != w.Good {
		fmt.Fprintf(&b, "not mended, passed %d\n", k.passed)
	}
	b.WriteString(k.storeText())
	k.writeQueues(&b)
	for _, s := range w.Timer.Pending() {
		fmt.Fprintf(&b, "schedule %+v\n", s)
	}
	fmt.Fprintf(&b, "made and removed: %v\n", w.Ledger.Outside)
	var all []string
	for _, c := range k.late {
		all = append(all, "late: "+c.id)
	}
	for _, batch := range k.dead {
		text := "dead:"
		for _, m := range batch {
			text += " " + m.Receipt
		}
		all = append(all, text)
	}
	for _, p := range w.Processes {
		if p.Running == nil && !k.scope.Cached {
			continue
		}
		text := fmt.Sprintf("process of %s worker %t received %s", p.Code.Name, p.Worker != nil, p.received)
		if inv := p.Running; inv != nil {
			text += fmt.Sprintf("until %d", inv.Deadline.UnixMilli())
			for _, instance := range w.Ledger.Instances() {
				if w.Ledger.Born[instance] >= inv.Started {
					text += " born " + instance
				}
			}
		}
		all = append(all, text)
	}
	slices.Sort(all)
	b.WriteString(strings.Join(all, "\n"))
	return sha256.Sum256([]byte(b.String()))
}

// storeText returns everything that is stored.
func (k *Walk) storeText() string {
	if k.stored != "" {
		return k.stored
	}
	var b strings.Builder
	ctx, w := context.Background(), k.W
	for _, instance := range w.Ledger.Instances() {
		if r, err := w.Store.Describe(ctx, instance); err == nil {
			b.WriteString(RecordText(&r))
		}
		for n := int64(1); n <= w.Ledger.Last[instance]; n++ {
			turns, err := w.Store.Read(ctx, instance, n, 1)
			fmt.Fprintf(&b, "%s/%d %v\n%s", instance, n, err, turnsText(turns))
			for _, e := range w.Ledger.Executions[ledger.At(instance, n)].Events {
				if e.Kind == history.ActivityScheduled {
					state, _ := w.stops.State(ctx, store.ActivityKey{Instance: instance, ExecutionID: n, EventID: e.EventID})
					b.WriteString(stateText(&state))
				}
			}
		}
	}
	k.stored = b.String()
	return k.stored
}

// writeQueues writes the contents of the queues. The order of messages matters only within
// a FIFO group, where it is the order of the ids.
func (k *Walk) writeQueues(b *strings.Builder) {
	for _, q := range append(slices.Clone(k.W.Sources), k.W.DeadFIFO, k.W.DeadStandard) {
		for _, h := range q.Snapshot() {
			fmt.Fprintf(b, "%s %s", q.Name, messageText(&h.Message))
			switch {
			case h.Visible:
			case h.Due.Sub(k.W.Clock.Now()) > queue.MaxVisibility/2:
				// An action makes it visible again.
				b.WriteString(" in flight")
			default:
				fmt.Fprintf(b, " due %d", h.Due.UnixMilli())
			}
			b.WriteByte('\n')
		}
		var remembered []string
		for key, id := range q.Remembered() {
			remembered = append(remembered, key+" "+id)
		}
		slices.Sort(remembered)
		fmt.Fprintf(b, "%q\n", remembered)
	}
}

func messageText(m *queue.Message) string {
	return fmt.Sprintf("%s×%d %s %s %v %s", m.ID, m.ReceiveCount, m.Group, m.Body, m.Attributes, m.SentAt.Format(time.RFC3339Nano))
}

func turnsText(turns []store.Turn) string {
	var b strings.Builder
	for i := range turns {
		t := &turns[i]
		fmt.Fprintf(&b, "%s %t %t %v %s\n", t.Token, t.Messaged, t.Parked, t.Cancelled, history.Encode(t.Events))
	}
	return b.String()
}

// RecordText leaves out the stack of a problem: it contains addresses, is only for people
// to read, and decides nothing.
func RecordText(r *store.Record) string {
	if r.Problem != nil {
		c, p := *r, *r.Problem
		p.Stack = ""
		c.Problem = &p
		r = &c
	}
	return jsonText(r)
}

func stateText(s *store.ActivityState) string { return jsonText(s) }

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// answerText is the answer to a call, including the contents of its error.
func answerText(err error) string {
	if err == nil {
		return "done"
	}
	text := err.Error()
	var conflict *store.RecordConflictError
	if errors.As(err, &conflict) && conflict.Found != nil {
		text += " " + strings.TrimSpace(RecordText(conflict.Found))
	}
	return text
}
