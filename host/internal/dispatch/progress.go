package dispatch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

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

// Row is an unbroken row of commits: each begins where the one before ends. An outbox
// that is given the row of the one before goes on with it.
type Row struct{ begins, ends position }

// goOn takes in the next commit.
func (r *Row) goOn(t *store.Turn) {
	if first := (position{t.ExecutionID, t.First(), 0}); first != r.ends {
		r.begins = first
	}
	r.ends = position{t.ExecutionID, t.Last() + 1, 0}
	if t.Events[len(t.Events)-1].Kind == history.OrchestrationContinuedAsNew {
		r.ends = position{t.ExecutionID + 1, 1, 0}
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
func progressMark(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return hex.EncodeToString(sum[:6])
}

// Skip leaves out what an earlier delivery of one of these messages is known to have
// sent, by the text that it left.
func (out *Outbox) Skip(text string, messageIDs []string) {
	p, ok := parseProgress(text)
	if ok && slices.ContainsFunc(messageIDs, func(id string) bool { return progressMark(id) == p.message }) {
		out.skip(p)
	}
}

func (out *Outbox) skip(p progress) {
	for i := range out.parcels {
		at := out.parcels[i].at
		if at.execution > 0 && at.compare(p.from) >= 0 && at.compare(p.upTo) <= 0 {
			out.parcels[i].done = true
		}
	}
}

// Progress says how far a dispatch came that stopped short, for Skip when the message
// comes back; empty where nothing can be said.
func (out *Outbox) Progress(messageID string) string {
	p, ok := out.reached()
	if !ok {
		return ""
	}
	p.message = progressMark(messageID)
	return p.text()
}

// reached returns how far the row of commits was sent that the first parcel
// belongs to which is not; false where that is its first.
func (out *Outbox) reached() (p progress, ok bool) {
	i := slices.IndexFunc(out.parcels, func(p parcel) bool { return !p.done })
	if i < 0 {
		return p, false
	}
	stopped := &out.parcels[i]
	for i--; i >= 0 && stopped.row.execution > 0 && out.parcels[i].row == stopped.row; i-- {
		if at := out.parcels[i].at; at.compare(stopped.at) < 0 {
			return progress{from: stopped.row, upTo: at}, true
		}
	}
	return p, false
}
