package deciding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/resending"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// GoOnNumber is the number of a wake that goes on with a turn that was cut
// short for want of time. It is the stamp of no mark.
const GoOnNumber = math.MaxInt32

// wakes is what the wakes of a round ask for.
type wakes struct {
	// messages are all of them, at how many were looked at.
	messages []*inbox.Message
	at       int
	// run the code, though there may be no arrival.
	run bool
	// try is the id of a wake for which even an instance is tried whose turn killed
	// its process, and whose mark is moved or cleared whatever comes of it; empty if
	// there is none.
	try string
	// again is what they send again. tried is the last of them whose try was made; -1
	// if there is none.
	again *resending.Resending
	tried int
}

// wake looks at wakes. A sweeper's wake names the stamp of a mark, and is dropped if the
// record has another stamp: each change of a mark that an earlier delivery may have sent
// demands the stamp that the wake names, and fails by now. The commits of that delivery were
// sent again before this.
//
// One wake is one try: it is dropped, with those before it, where the mark says that this try
// was made. Its twin has made the try, and acknowledges the wake for both; nothing would
// bring it back if this process, whose code may work, died after its commit.
//
// Before the code is run, a wake sends again what may not have been sent: what is
// open of the last turn, or, for an operator's wake, of the current execution. An
// instance that this turn begins has nothing to be sent again.
func (t *Turn) wake(p *Plan) error {
	r, w := t.round, &t.round.wakes
	if len(w.messages) == 0 || t.Running.Creating {
		r.then = (*Turn).begin
		return nil
	}
	problem := t.View.Problem()
	if w.again == nil {
		w.again, w.tried = t.resending(t.Now.At), -1
		if problem != nil {
			w.tried = slices.IndexFunc(w.messages, func(m *inbox.Message) bool { return m.Item.ID == problem.Wake })
		}
	}
	for w.at < len(w.messages) && p.empty() {
		if err := t.wakeBy(p, w.messages[w.at], problem); err != nil {
			return err
		}
		t.View.Forget()
		w.at++
	}
	if p.empty() {
		p.Again, r.then = &Again{w.again.Commits, w.again.Since}, (*Turn).begin
	}
	return nil
}

// wakeBy takes in what one wake asks for.
func (t *Turn) wakeBy(p *Plan, m *inbox.Message, problem *store.Problem) error {
	w := &t.round.wakes
	switch stamp := m.Item.Number; {
	case stamp > 0 && problem != nil && stamp == t.View.Record.Stamp:
		// Each try moves the mark, so this one was not made, whatever went round before it.
		w.run, w.try = true, m.Item.ID
		return w.again.LastTurn()
	case w.at <= w.tried && stamp != GoOnNumber:
		p.settle(m, "obsolete_wake")
	case stamp == GoOnNumber:
		w.run = w.run || !t.swept()
		if m.Item.Hops > 0 || m.Redriven() {
			// Later messages may have overtaken it, so what was committed for it need not be
			// the last turn.
			return w.again.Everything(m.Item.ExecutionID)
		}
		if m.Item.ExecutionID != t.Running.Execution || m.Item.SchedulingEventID != t.Running.X.LastEventID() {
			// The turn has gone on from there by another message, and what it committed
			// since may not have been sent.
			return w.again.LastTurn()
		}
	case stamp == 0:
		w.run, w.try = true, m.Item.ID
		return w.again.Current()
	case problem == nil:
		// The mark was cleared, and what was to follow may not have been done.
		w.run = true
	default:
		p.settle(m, "obsolete_wake")
	}
	return nil
}

// swept reports whether the instance has a mark that the sweeper looks after. Only a new
// fact, or a wake by the sweeper or an operator, clears it. Otherwise: A clears it by a
// duplicate and dies while its commit is under way; B, whose build is broken, acknowledges
// that duplicate; then A's commit lands. No message is left that would send what it asks
// for.
func (t *Turn) swept() bool {
	p := t.View.Problem()
	return p != nil && p.Kind != store.ProblemCorrupt
}

// goOnLater is the wake by which a turn that ran out of time goes on in another
// invocation. All its commits are dispatched by then, and the wake names the last event
// of them. Its id is new for each invocation; otherwise SQS would drop it as a repeat
// of a wake that was handled a minute ago.
func (t *Turn) goOnLater() *wire.Item {
	m, last := t.Group.Messages[0], t.Running.X.LastEventID()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", m.ID, m.ReceiveCount, t.Running.Execution, last, t.View.Instance))
	return &wire.Item{V: wire.Version, Kind: wire.Wake, Instance: t.View.Instance, ExecutionID: t.Running.Execution, SchedulingEventID: last,
		ID: "go-on-" + hex.EncodeToString(sum[:16]), Number: GoOnNumber, Depth: t.Chain.Depth}
}
