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

// A dispatch that stops short notes in the record how far it has come
// (store.Record.Dispatched), and the next delivery of its message goes on from
// there. Otherwise three thousand timers, for which one invocation has no time,
// would begin from the start each time. A dispatch that is done writes nothing.

// position orders everything that is sent for an instance: by execution and event;
// sub is 0 for what the event asks for. With the last event of a commit, sub 1, 2, …
// are what the commit cancelled, and then the parents that are told of its end.
type position struct {
	execution, event int64
	sub              int
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.execution, q.execution), cmp.Compare(p.event, q.event), cmp.Compare(p.sub, q.sub))
}

// Row is a row of commits without a gap: each begins with the event after the last of
// the one before. A turn with several commits hands the Row of each dispatch to the
// next one.
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

// progress says that everything from one position up to another has been sent. That
// stays true, whichever process finds it. It counts only for redeliveries of the
// message for which the dispatch was made: an operator's wake sends everything again.
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

// progressMark names a message in a progress: a short hash of its id.
func progressMark(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return hex.EncodeToString(sum[:6])
}

// Skip leaves out what an earlier delivery of one of these messages has sent,
// according to the text that Progress returned then.
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
// is delivered again; empty if nothing of the stopped row has been sent.
func (out *Outbox) Progress(messageID string) string {
	p, ok := out.reached()
	if !ok {
		return ""
	}
	p.message = progressMark(messageID)
	return p.text()
}

// reached returns what has been sent of the row of commits in which the first unsent
// parcel stands; false if that parcel is the first of its row.
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
