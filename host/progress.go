package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// A dispatch that stops short leaves in the record how far it has come
// (store.Record.Dispatched), and the message that comes back goes on from
// there: three thousand timers that one invocation has no time for must not
// begin from the start with each delivery. A dispatch that is done writes
// nothing.

// position is where something to be sent stands in the histories of an
// instance: first what an event asks for, then, with the last event of a
// commit, what the commit cancelled, then whom its end has to be told.
type position struct {
	execution, event int64
	sub              int
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.execution, q.execution), cmp.Compare(p.event, q.event), cmp.Compare(p.sub, q.sub))
}

// commit notes that what is added from here on belongs to a commit. Commits of
// which each begins where the last one ends are an unbroken row.
func (out *outbox) commit(t *store.Turn) {
	first := place{t.ExecutionID, t.First()}
	if first != out.next {
		out.row = position{first.execution, first.eventID, 0}
	}
	out.next = place{t.ExecutionID, t.Last() + 1}
	if t.Events[len(t.Events)-1].Kind == history.OrchestrationContinuedAsNew {
		out.next = place{t.ExecutionID + 1, 1}
	}
}

// progress says that all that stands from one position up to another has been
// sent. It is a fact, whoever finds it: sent once, something is not unsent by
// what happens later. The message is the one that comes back because of the
// rest, and only while it does the mark counts: an operator's wake is to send
// everything again.
type progress struct {
	from, upTo position
	message    string
}

// text of a progress as the record has it.
func (p *progress) text() string {
	return fmt.Sprintf("%s %d/%d/%d %d/%d/%d", p.message, p.from.execution, p.from.event, p.from.sub, p.upTo.execution, p.upTo.event, p.upTo.sub)
}

func parseProgress(text string) (p progress, ok bool) {
	n, err := fmt.Sscanf(text, "%s %d/%d/%d %d/%d/%d", &p.message, &p.from.execution, &p.from.event, &p.from.sub, &p.upTo.execution, &p.upTo.event, &p.upTo.sub)
	return p, err == nil && n == 7
}

// progressMark is that of a message.
func progressMark(m *message) string {
	sum := sha256.Sum256([]byte(m.ID))
	return hex.EncodeToString(sum[:6])
}

// dispatch sends what an outbox has, but for what an earlier delivery of a
// message of this turn is known to have sent.
func (t *turn) dispatch(ctx context.Context, out *outbox) error {
	if t.record != nil && t.record.Dispatched != "" {
		out.skip(t.earlierProgress())
	}
	if err := t.flush(ctx, out); err != nil {
		t.keepProgress(ctx, out)
		return err
	}
	t.row, t.next = out.row, out.next
	return nil
}

func (t *turn) earlierProgress() progress {
	p, ok := parseProgress(t.record.Dispatched)
	for _, m := range t.group.messages {
		if ok && m.returning() && progressMark(m) == p.message {
			return p
		}
	}
	return progress{}
}

// skip marks as done what is known to have been sent.
func (out *outbox) skip(p progress) {
	for i := range out.parcels {
		at := out.parcels[i].at
		if at.execution > 0 && at.compare(p.from) >= 0 && at.compare(p.upTo) <= 0 {
			out.parcels[i].done = true
		}
	}
}

// reached returns how far the row of commits was sent that the first parcel
// belongs to which is not; false where that is its first.
func (out *outbox) reached() (p progress, ok bool) {
	for i := range out.parcels {
		if out.parcels[i].done {
			continue
		}
		stopped := &out.parcels[i]
		for i--; i >= 0 && stopped.row.execution > 0 && out.parcels[i].row == stopped.row; i-- {
			if at := out.parcels[i].at; at.compare(stopped.at) < 0 {
				return progress{from: stopped.row, upTo: at}, true
			}
		}
		return p, false
	}
	return p, false
}

// keepProgress writes down how far a dispatch came that stopped short. That it
// can't costs time and nothing else.
func (t *turn) keepProgress(ctx context.Context, out *outbox) {
	p, ok := out.reached()
	open := t.group.open()
	if !ok || len(open) == 0 {
		return
	}
	p.message = progressMark(open[0])
	text := p.text()
	if t.record != nil && t.record.Dispatched == text {
		return
	}
	change := store.RecordChange{If: store.RecordCondition{Exists: true}, Dispatched: &text, UpdatedAt: t.Clock.Now()}
	if err := t.Store.UpdateRecord(ctx, t.group.instance, change); err != nil {
		if !errors.Is(err, store.ErrConflict) {
			t.Logger.WarnContext(ctx, "how far a dispatch came is not recorded, it begins from the start", "instance", t.group.instance, "error", err)
		}
		return
	}
	t.changed(&change)
}
