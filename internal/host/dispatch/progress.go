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

// A dispatch that stops early stores its progress in the instance's record
// (store.Record.Dispatched), and the next delivery of its message continues from there. Otherwise a
// dispatch that takes longer than one invocation, for example of 3,000 timers, would start over
// each time. A dispatch that completes writes nothing.

// position orders all messages of an instance by execution and event. sub is 0 for the message that
// the event itself requires. At the last event of a commit, sub 1, 2, … are the cancellations of
// the commit, and then the notifications of parents about its end.
type position struct {
	execution, event int64
	sub              int
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.execution, q.execution), cmp.Compare(p.event, q.event), cmp.Compare(p.sub, q.sub))
}

// Row is a sequence of commits without a gap: each begins with the event after the last event of
// the previous commit. A turn with several commits passes the Row of each dispatch to the next.
type Row struct{ starts, ends position }

// proceed adds the next commit to the row.
func (r *Row) proceed(t *store.Turn) {
	if first := (position{t.ExecutionID, t.First(), 0}); first != r.ends {
		r.starts = first
	}
	r.ends = position{t.ExecutionID, t.Last() + 1, 0}
	if t.Events[len(t.Events)-1].Kind == history.OrchestrationContinuedAsNew {
		r.ends = position{t.ExecutionID + 1, 1, 0}
	}
}

// progress records that everything from one position up to another has been sent. That stays true,
// whichever process reads it. Only redeliveries of the message that caused the dispatch use it; an
// operator's wake sends everything again.
type progress struct {
	from, upTo position
	message    string
}

// text returns a progress in the form in which the record stores it.
func (p *progress) text() string {
	return fmt.Sprintf("%s %d/%d/%d %d/%d/%d", p.message, p.from.execution, p.from.event, p.from.sub, p.upTo.execution, p.upTo.event, p.upTo.sub)
}

func parseProgress(text string) (p progress, ok bool) {
	n, err := fmt.Sscanf(text, "%s %d/%d/%d %d/%d/%d", &p.message, &p.from.execution, &p.from.event, &p.from.sub, &p.upTo.execution, &p.upTo.event, &p.upTo.sub)
	return p, err == nil && n == 7
}

// progressMark names a message in a progress, by a short hash of its id.
func progressMark(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return hex.EncodeToString(sum[:6])
}

// Skip leaves out the messages that an earlier delivery of one of these messages has sent,
// according to the text that Progress returned then.
func (out *Outbox) Skip(text string, messageIDs []string) {
	p, ok := parseProgress(text)
	if ok && slices.ContainsFunc(messageIDs, func(id string) bool { return progressMark(id) == p.message }) {
		skip(out.messages, p)
	}
}

func skip(messages []outgoing, p progress) {
	for i := range messages {
		at := messages[i].at
		if at.execution > 0 && at.compare(p.from) >= 0 && at.compare(p.upTo) <= 0 {
			messages[i].done = true
		}
	}
}

// Progress returns the progress of a dispatch that stopped, for Skip when the message is
// redelivered. It is empty if no message of the row in which the dispatch stopped was sent.
func (out *Outbox) Progress(messageID string) string {
	p, ok := reached(out.messages)
	if !ok {
		return ""
	}
	p.message = progressMark(messageID)
	return p.text()
}

// reached returns how much of the row of the first unsent message has been sent; false if that
// message is the first of its row.
func reached(messages []outgoing) (p progress, ok bool) {
	i := slices.IndexFunc(messages, func(p outgoing) bool { return !p.done })
	if i < 0 {
		return p, false
	}
	stopped := &messages[i]
	for i--; i >= 0 && stopped.row.execution > 0 && messages[i].row == stopped.row; i-- {
		if at := messages[i].at; at.compare(stopped.at) < 0 {
			return progress{from: stopped.row, upTo: at}, true
		}
	}
	return p, false
}
