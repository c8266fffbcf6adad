package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// An id has one life after another: each begins with a start and is over when a
// purge has hidden it. What began and hid the last ones, and what stood ahead of
// the purge, is in marks of the record (store.Record.Purges), so that it is known
// when it comes again.

// markOf is that of a start or a purge in Record.Purges.
func markOf(m *message) string {
	if m.item.ID == "" {
		return ""
	}
	return causeOf(&m.item)
}

// causeOf returns the mark of an item, behind a separator.
func causeOf(i *wire.Item) string {
	sum := sha256.Sum256([]byte(string(i.Kind) + " " + i.ID))
	return "-" + hex.EncodeToString(sum[:8])
}

// messageMark is that of a message, whatever it says.
func messageMark(m *message) string {
	return store.MessageMark + causeOf(&wire.Item{Kind: "message", ID: m.ID})[1:]
}

// startMark is the mark of the start that began what a record is of.
func startMark(r *store.Record) string {
	if r.StartID == "" {
		return ""
	}
	return causeOf(&wire.Item{Kind: wire.StartOrchestration, ID: r.StartID})
}

// purges reports whether it is a purge that somebody asked for.
func (m *message) purges() bool {
	return m.item.Kind == wire.PurgeInstance && m.item.UpToExecution == 0
}

// settleFormer settles what comes again and has to do with an earlier life of the
// id: purges and starts that are known, and what stood ahead of a purge. All that
// was asked for because of them has been sent: a purge is handled when what came
// before it in its group is done.
func (t *turn) settleFormer(ctx context.Context) {
	if t.record == nil {
		return
	}
	for _, m := range t.group.open() {
		if known := ofFormer(t.record, m); m.purges() && known ||
			m.item.Kind == wire.StartOrchestration && (known || t.record.Purged && t.record.StartID == m.item.ID) ||
			t.record.Purges != "" && strings.Contains(t.record.Purges, messageMark(m)) {
			t.settleKnown(ctx, m)
		}
	}
}

// settleKnown settles what had to do with an earlier life. That a queue delivers it
// again is nothing to speak of; whoever sends the start or the purge of one again
// may have meant this life.
func (t *turn) settleKnown(ctx context.Context, m *message) {
	if !m.returning() && ofFormer(t.record, m) {
		t.Logger.InfoContext(ctx, string(m.item.Kind)+" not carried out again: it was for an earlier life of the instance, or its parent has closed it; what is meant for this one needs an id of its own",
			"instance", t.group.instance, "execution_id", t.record.ExecutionID, "id", m.item.ID)
	}
	t.settle(m, "duplicate")
}

// ofFormer reports whether a message began, or purged, an earlier life of the id.
// Behind the start of another life it has nothing to do with that one.
func ofFormer(r *store.Record, m *message) bool {
	if r == nil || r.Purges == "" {
		return false
	}
	mark := markOf(m)
	return mark != "" && strings.Contains(r.Purges, mark)
}

// aheadMarks are those of the messages that stand ahead of a purge in the batch and
// in its FIFO group. They were for the life that it hides, and may come again
// without it. What the queue delivered before is acknowledged: it lets nothing by.
func (t *turn) aheadMarks(purge *message) (marks string) {
	for _, m := range t.group.all {
		if m == purge {
			break
		}
		if m.Group == purge.Group && !m.purges() {
			marks += messageMark(m)
		}
	}
	return marks
}
