package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// The sender's id, in the form that the service uses.
const (
	activityRole     = "AROAACTIVITIES"
	orchestratorRole = "AROAORCHESTRATOR"
)

// sender returns the service's name for the process.
func (p *Process) sender() string {
	if p.Worker != nil {
		return activityRole + ":" + p.Name
	}
	return orchestratorRole + ":" + p.Name
}

// Queue is a queue of the world.
type Queue struct {
	*queuememory.Queue
	w    *World
	Name string
	// Of is the name by which activities refer to the queue; empty for a queue without a name.
	Of string
	*serving
}

// processQueue is a queue as a process sees it.
type processQueue struct {
	*Queue
	p *Process
}

// Send sends in batches of the size that SQS accepts, one call per batch. If a batch fails in part,
// its other messages are in the queue; the batches after it are not sent.
func (q processQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := queue.ValidateAll(q.FIFO(), msgs); err != nil {
		return err
	}
	var pending []int
	for i := range msgs {
		pending = append(pending, i)
		q.w.Watch.StartsSend(q.p, msgs[i].Body)
		if item, err := q.w.Item(msgs[i].Body); err == nil && item.Kind == wire.StartOrchestration && item.Hops > 0 {
			note(&q.w.overtaken, item.ID, true)
		}
	}
	failed := map[int]error{}
	for len(pending) > 0 {
		var batch []int
		if batch, pending = queue.NextBatch(q.FIFO(), msgs, pending); len(failed) > 0 {
			pending = append(batch, pending...)
			break
		}
		q.sendBatch(ctx, msgs, batch, failed)
	}
	for _, i := range pending {
		failed[i] = errNotTried
	}
	return queue.Partial(failed, len(msgs))
}

// errNotTried is the error of a message after a batch that failed.
var errNotTried = fmt.Errorf("not sent, for one ahead of it could not be (simulated): %w", queue.ErrUnavailable)

// sendBatch makes one call and records which messages are not known to be in the queue.
func (q processQueue) sendBatch(ctx context.Context, msgs []queue.Outgoing, batch []int, failed map[int]error) {
	entries := make([]queue.Outgoing, len(batch))
	for n, i := range batch {
		entries[n] = q.prepares(msgs[i])
	}
	wrong := q.sharedFault(entries)
	var refused map[int]bool
	switch {
	case wrong == fault.EntryRefused, wrong == fault.None && len(batch) > 1 && !q.p.Dead && q.w.hit(fault.EntryRefused):
		refused = q.refusesSome(len(batch))
	case wrong == fault.CrashBefore:
		q.p.Die("crash")
	}
	rejected := make([]error, len(entries))
	err := ErrKilled
	if !q.p.Dead {
		err = q.p.call(queueClass, func() string { return q.sendText(entries) }, func() error {
			for n := range entries {
				if rejected[n] = q.w.rejects(q.Queue, &entries[n], batch[n]); refused[n] || rejected[n] != nil {
					continue
				}
				if err := q.takes(ctx, &entries[n]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	switch {
	case err != nil:
	case wrong == fault.AnswerLost:
		err = fmt.Errorf("%w (simulated)", queue.ErrUnavailable)
	case wrong == fault.CrashAfter:
		q.p.Die("crash")
		err = ErrKilled
	}
	for n, i := range batch {
		switch {
		case err != nil:
			failed[i] = err
		case rejected[n] != nil:
			failed[i] = rejected[n]
		case refused[n]:
			failed[i] = fmt.Errorf("%w: this entry of the batch (simulated)", queue.ErrUnavailable)
		default:
			q.w.Watch.Accepted(q.p, entries[n].Body)
		}
	}
}

// prepares checks a message that is about to be sent, and applies the faults that happen to single
// messages.
func (q processQueue) prepares(m queue.Outgoing) queue.Outgoing {
	if q.p.Dead {
		return m
	}
	m.Delay = (m.Delay + time.Second - 1) / time.Second * time.Second // SQS rounds up to seconds.
	q.w.Watch.Sends(q.p, q.Queue, &m)
	if !q.FIFO() && q.w.hit(fault.Disordered) {
		m.Delay = min(m.Delay+time.Duration(1+q.w.Choices.IntN(q.w.How(fault.Disordered), 4))*time.Second, queue.MaxDelay)
	}
	if q.w.rejects(q.Queue, &m, 0) == nil && q.w.hit(fault.Resent) {
		q.w.Clock.AfterFunc(time.Duration(q.w.Choices.IntN(q.w.How(fault.Resent), 20*60))*time.Second, func() { q.w.SendAs("a late repeat", q.Queue, m) })
	}
	return m
}

// sharedFault decides the fault of a call that several groups or attempts share, in a run with that
// bias; fault.None for none.
func (q processQueue) sharedFault(msgs []queue.Outgoing) fault.Kind {
	if len(msgs) < 2 || !msgs[0].Unordered || q.p.Dead {
		return fault.None
	}
	w := q.w
	w.Reached("shared call")
	for _, m := range msgs[1:] {
		if m.Group == msgs[0].Group {
			w.Reached("shared call, of one group")
			break
		}
	}
	if !w.has(sharedCalls) || w.calm || !w.Choices.Even(w.How(fault.EntryRefused)) {
		return fault.None
	}
	f := [...]fault.Kind{fault.EntryRefused, fault.EntryRefused, fault.EntryRefused, fault.AnswerLost, fault.CrashBefore, fault.CrashAfter}[w.Choices.IntN(w.How(fault.EntryRefused), 6)]
	w.faulted(f)
	if w.Tracing {
		w.Log("FAULT %s", f)
	}
	return f
}

// refusesSome decides which entries of a batch are refused while the others are accepted, by their
// index.
func (q processQueue) refusesSome(n int) map[int]bool {
	q.w.Reached("entry refused")
	refused := map[int]bool{q.w.Choices.IntN(q.w.How(fault.EntryRefused), n): true}
	for i := range n {
		if q.w.Choices.OneIn(q.w.How(fault.EntryRefused), 4) {
			refused[i] = true
		}
	}
	return refused
}

// takes delivers a message to the service.
func (q processQueue) takes(ctx context.Context, m *queue.Outgoing) error {
	if q.w.Sabotage.Loses != nil && q.w.Sabotage.Loses(q.Name, m) {
		return nil
	}
	q.w.Watch.Takes(q.p, q.Queue, m)
	q.w.asksForSweep(q.p, q.Queue, m)
	return q.Queue.SendFrom(ctx, q.p.sender(), *m)
}

func (q processQueue) sendText(msgs []queue.Outgoing) string {
	texts := make([]string, len(msgs))
	for i := range msgs {
		texts[i] = BodyText(msgs[i].Body) + delayText(msgs[i].Delay)
	}
	return "sends to " + q.Name + " " + strings.Join(texts, " | ")
}

func (q processQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	for i := range msgs {
		if (d == 0 || q.parks(d, &msgs[i])) && strings.HasPrefix(msgs[i].ID, q.Name+"-") {
			q.w.Watch.Shows(q.p, q.Queue, msgs[i].ID)
		}
	}
	// The first call of an invocation extends the visibility of its messages, if any call does.
	inv := q.p.Running
	door := inv != nil && !inv.called && d > 0
	err := q.p.call(queueClass, func() string { return fmt.Sprintf("lets %s come back after %s", idsText(msgs), d) }, func() error {
		// A batch call succeeds or fails for each entry, as if the entries were sent one by one
		// (ChangeMessageVisibilityBatch).
		failed := map[int]error{}
		if len(msgs) > 1 && q.w.hitFor(fault.EntryRefused, "visibility") {
			q.w.Reached("entry refused, visibility")
			for i := range q.refusesSome(len(msgs)) {
				failed[i] = fmt.Errorf("%w: this entry of the batch (simulated)", queue.ErrUnavailable)
			}
		}
		for i, m := range msgs {
			if failed[i] != nil {
				continue
			}
			if q.isGhost(m.ID) {
				continue // The message was received once more, and stays hidden as long as any other.
			}
			err := q.Queue.SetVisibility(ctx, d, m)
			if err != nil && q.takesOld(err, m, func(now queue.Message) { _ = q.Queue.SetVisibility(ctx, d, now) }) {
				note(&inv.Fooled, m.ID, true)
				continue
			}
			if err != nil {
				failed[i] = err
			}
		}
		return queue.Partial(failed, len(msgs))
	})
	if door && err != nil && !q.p.Dead {
		partial, some := errors.AsType[*queue.PartialError](err)
		for i := range msgs {
			// A message that is delivered for the first time, and in time, is extended later, if
			// its attempt takes long.
			if msgs[i].ReceivedAt.IsZero() && (!some || partial.Failed[i] != nil) {
				note(&inv.Refused, msgs[i].ID, true)
			}
		}
	}
	return err
}

// isGhost reports whether a message of the batch was deleted before.
func (q processQueue) isGhost(id string) bool {
	inv := q.p.Running
	return inv != nil && slices.ContainsFunc(inv.Batch, func(m Delivered) bool { return m.ID == id && m.Ghost })
}

func idsText(msgs []queue.Message) string {
	ids := make([]string, len(msgs))
	for i := range msgs {
		ids[i] = msgs[i].ID
	}
	return strings.Join(ids, ", ")
}

// Delete acknowledges a message from within the process, instead of leaving it to the event source.
func (q processQueue) Delete(ctx context.Context, m queue.Message) error {
	inv := q.p.Running
	return q.p.call(queueClass, func() string { return "deletes " + m.ID }, func() error {
		for _, d := range inv.Batch {
			if d.ID == m.ID && d.From == q.Queue && !d.Ghost {
				return q.w.acknowledge(inv, d)
			}
		}
		return q.Queue.Delete(ctx, m)
	})
}

// takesOld reports whether a call with an expired receipt succeeds nevertheless, as it may for a
// standard queue (SQS API Reference, ChangeMessageVisibility and DeleteMessage;
// https://repost.aws/knowledge-center/sqs-receipt-handle-error). Half of these calls change
// nothing; the others affect the message, whichever process has it now.
func (q *Queue) takesOld(refused error, m queue.Message, act func(queue.Message)) bool {
	if q.FIFO() || !errors.Is(refused, queue.ErrReceiptExpired) || !q.w.hitFor(fault.OldReceipt, m.ID) {
		return false
	}
	q.w.Reached("old receipt")
	if !q.w.Choices.Even(q.w.How(fault.OldReceipt)) {
		return true
	}
	for _, h := range q.Snapshot() {
		if h.ID == m.ID && !h.Visible {
			q.w.Reached("old receipt, acts")
			note(&q.w.actedOn, m.ID, true)
			act(h.Message)
		}
	}
	return true
}

// longestPark is the longest time that an attempt on the waiting list of a limit waits before it
// asks again on its own.
const longestPark = 30 * time.Second

// parks reports whether a message is hidden while its attempt waits for a permit of its limit: the
// process no longer works on it.
func (q processQueue) parks(d time.Duration, m *queue.Message) bool {
	if q.p.Worker == nil || d > longestPark {
		return false
	}
	item, err := q.w.Item(m.Body)
	return err == nil && item.Retry != nil && item.Retry.Limit > 0
}
