package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// A standard queue may hand out a message twice at once, both times as its
// first delivery. If the process that has the first copy commits and dies, the
// other finds a known fact; were it to take that for a duplicate, the message
// would be deleted, and nobody dispatched. So the token of a turn names the
// messages of standard queues that it had, and those of the FIFO queue that
// another process may send round a standard one because it does not find their
// instance. Who finds its own there has such a copy, which is treated as one
// that comes back.
//
// Two messages that say the same are not copies: only one that was received
// answers for what follows from it, or each duplicate of a timer would bring
// forth another one of the next.

// errCopy says that a message was found to be a copy of one that another
// process has, or had.
var errCopy = errors.New("host: a copy of a message in flight")

const (
	// copyWindow is how long after one copy another may still be handled that has
	// not gone round: the longest invocation, and what clocks may differ by.
	copyWindow = 20 * time.Minute
	// maxFurther is how many older executions are looked into for what a message
	// that has been round may have recorded.
	maxFurther = 5
	// maxCopyMarks is how many messages a token names: as many as a batch of a
	// standard queue has.
	maxCopyMarks = 10
)

// copyAttribute is the id that a message had before it went on as another: by
// the FIFO queue because it lost a commit, or round the delay queue because it
// was not due by a clock that is behind, or its instance not there. Its copy may
// have done what it has not.
const copyAttribute = "turnstile-first-id"

// mayBeCopied reports whether there may be a copy of the message.
func (m *message) mayBeCopied() bool {
	return m.Source != SourceOrchestrator || m.Attributes[copyAttribute] != ""
}

// copyID is the id that all copies of the message have.
func (m *message) copyID() string {
	if id := m.Attributes[copyAttribute]; id != "" {
		return id
	}
	return m.ID
}

// copyMark is that of a message in the token of a turn.
func copyMark(m *message) string {
	sum := sha256.Sum256([]byte(m.copyID()))
	return "+" + hex.EncodeToString(sum[:3])
}

// copyMarks are those of the messages of the group that may have copies, and of
// those that another process may send round as early.
func (t *turn) copyMarks() string {
	var marks strings.Builder
	n := 0
	for _, m := range t.group.messages {
		if i := &m.item; i.Kind == wire.ActivityPending || i.Kind == wire.ActivityHeartbeat {
			continue // It records nothing.
		}
		if (m.mayBeCopied() || m.item.Kind == wire.ExternalRaised || m.endsChild()) && n < maxCopyMarks {
			marks.WriteString(copyMark(m))
			n++
		}
	}
	return marks.String()
}

// findCopies returns errCopy if one of the messages is found to be a copy, or
// may be one and nobody here can tell; from then on it is one that comes back. So
// it does if the other copy may have been in vain.
func (t *turn) findCopies(ctx context.Context) error {
	var copies, handled []*message
	for _, m := range t.group.open() {
		if !m.mayBeCopied() || m.returning() || m.item.UpToExecution > 0 {
			continue
		}
		if m.Source != SourceOrchestrator && t.mayHaveMissed(m) {
			copies = append(copies, m)
			continue
		}
		copied, err := t.isCopied(ctx, m)
		if err != nil {
			return err
		}
		if copied {
			copies, handled = append(copies, m), append(handled, m)
		}
	}
	for _, m := range handled {
		m.handled = true
	}
	for _, m := range copies {
		m.copied = true
	}
	if len(copies) > 0 {
		return errCopy
	}
	return nil
}

// mayHaveMissed reports whether a copy of the message may have come too early for
// this life of the instance, and have been deleted as one that is for nobody, or
// for the life before. What this one brings about would then have nothing behind
// it that comes back.
func (t *turn) mayHaveMissed(m *message) bool {
	if t.x == nil || t.x.Ended() || !t.creating && !t.recent(time.UnixMilli(t.started().AtMS)) {
		return false
	}
	switch m.item.Kind {
	case wire.TerminateInstance, wire.CancelInstance:
		return true
	case wire.PurgeInstance:
		return m.item.Force
	case wire.ExternalRaised:
		return t.execution > 1 // One for nobody goes round instead.
	}
	return false
}

// forwardCopies sends those that were found, and that are of a standard queue, on
// through the FIFO queue. The process of the other copy may have deleted them
// already, so that nothing would come back if this one died: neither what it has
// not dispatched, nor the wake-up of an instance that it marks as stuck.
func (o *Orchestrator) forwardCopies(ctx context.Context, g *group) {
	for _, m := range g.open() {
		if m.copied && m.Source != SourceOrchestrator {
			if o.forwardOne(ctx, m, hopAttributes(m), "copy"); m.state == unsettled {
				o.fail(m, "queue")
			}
		}
		m.copied = false
	}
}

func (t *turn) isCopied(ctx context.Context, m *message) (bool, error) {
	mark := copyMark(m)
	if r := t.record; r != nil && r.Problem != nil && strings.Contains(r.Problem.Copies, mark) {
		return true, nil // It armed the wake-up, which leaves no commit.
	}
	n, err := t.copiedIn(m)
	if err != nil || n == 0 {
		return false, err
	}
	further := maxFurther
	// Others may have continued as new since; a completion stands in the
	// execution that it is for.
	for least := max(t.firstExecution(), 1, n-followLimit); n >= least; n-- {
		turns, err := t.read(ctx, n)
		if corrupt(err) || err == nil && len(turns) == 0 {
			return false, nil
		}
		if missesCodec(err) || errors.Is(err, history.ErrNewer) {
			return true, nil // Who can read it will know.
		}
		if err != nil || slices.ContainsFunc(turns, func(s store.Turn) bool { return strings.Contains(s.Token, mark) }) {
			return err == nil, err
		}
		if n == t.execution && t.warm && turns[len(turns)-1].Last() > t.x.LastEventID() {
			return false, errRebuild // What was in the cache is old.
		}
		if m.completion() || m.item.Kind == wire.ActivityPending {
			break
		}
		if !t.recent(time.UnixMilli(turns[0].Events[0].AtMS)) {
			// What came before is older than any copy, but for one that has been round.
			if further--; m.Attributes[copyAttribute] == "" || further < 0 {
				break
			}
		}
	}
	return false, nil
}

// copiedIn returns the execution in which another process may have recorded the
// message already; 0 where it can't be. It is looked at only where there is
// something to be found, for a timer that lost its race comes late as well.
func (t *turn) copiedIn(m *message) (int64, error) {
	if t.x == nil || t.creating {
		r := t.record
		if r == nil || !r.Purged && !t.mayFollow(m, r.UpdatedAt) {
			return 0, nil // A tombstone does not know since when it is one.
		}
		if n := m.item.TargetExecution(); m.completion() && n < r.ExecutionID {
			return n, nil
		}
		return r.ExecutionID, nil
	}
	switch m.item.Kind {
	case wire.Wake:
		if r, n := t.record, m.item.Number; r != nil && n > 0 && (n < r.WakeNumber || t.x.Ended()) {
			return t.execution, nil
		}
		return 0, nil
	case wire.TerminateInstance, wire.PurgeInstance, wire.ActivityPending:
		return t.execution, nil
	case wire.ActivityHeartbeat:
		return 0, nil
	}
	a := t.arrival(m)
	switch v := t.x.Judge(a); {
	case v.Kind == engine.Duplicate:
		return t.execution, nil
	case v.Kind == engine.Late && a.ExecutionID > 0 && a.ExecutionID < t.execution && t.mayFollow(m, time.UnixMilli(t.started().AtMS)):
		return a.ExecutionID, nil
	}
	return 0, nil
}

// mayFollow reports whether a copy of the message may have been handled by then
// and this one come only now: soon, or when it has been round.
func (t *turn) mayFollow(m *message, at time.Time) bool {
	return m.Attributes[copyAttribute] != "" || t.recent(at)
}

func (t *turn) recent(at time.Time) bool { return t.Clock.Now().Sub(at) < copyWindow }
