package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/wire"
)

// goOnNumber is the number of a wake that goes on with a turn that was cut
// short for want of time. It is the stamp of no mark.
const goOnNumber = math.MaxInt32

// wakes is what the wakes among the messages ask for.
type wakes struct {
	// run the code, though there may be no arrival.
	run bool
	// try is the id of a wake for which even an instance is tried whose turn killed
	// its process, and whose mark is moved or cleared whatever comes of it; empty if
	// there is none.
	try string
}

// takeWakes looks at wakes. A sweeper's wake names the stamp of a mark, and is
// dropped if the record has another stamp, unless it is a redelivery: then its
// earlier delivery may have sent a change of the mark that has not arrived yet.
// This turn moves the mark, and so that change fails.
//
// One wake is one try: it is dropped, with those ahead of it, where the mark says that
// this try was made. Its twin has made the try, and acknowledges the wake for both; nothing
// would bring it back if this process, whose code may work, died behind its commit.
//
// Before the code is run, a wake sends again what may not have been sent: what is
// open of the last turn, or, for an operator's wake, of the current execution. An
// instance that this turn begins has nothing to be sent again.
func (t *turn) takeWakes(ctx context.Context, messages []*inbox.Message) (wakes, error) {
	var w wakes
	if len(messages) == 0 || t.creating {
		return w, nil
	}
	again, p := t.resending(), t.Problem()
	tried := -1
	if p != nil {
		tried = slices.IndexFunc(messages, func(m *inbox.Message) bool { return m.Item.ID == p.Wake })
	}
	for i, m := range messages {
		var err error
		switch stamp := m.Item.Number; {
		case i <= tried && stamp != goOnNumber:
			t.Settle(m, "obsolete_wake")
		case stamp == goOnNumber:
			w.run = w.run || !t.swept()
			if m.Item.ExecutionID != t.execution || m.Item.SchedulingEventID != t.x.LastEventID() {
				// A twin of a message of that turn has gone on from there. If its process
				// has died, nobody else sends what it committed.
				err = again.LastTurn(ctx)
			}
		case stamp == 0:
			w = wakes{run: true, try: m.Item.ID}
			err = again.Current(ctx)
		case m.Returning(), p != nil && stamp == t.Record.Stamp:
			w = wakes{run: true, try: m.Item.ID}
			err = again.LastTurn(ctx)
		case p == nil:
			// Its twin may have cleared the mark, and have died before the turn was over.
			w.run = true
		default:
			t.Settle(m, "obsolete_wake")
		}
		if err != nil {
			return w, err
		}
	}
	return w, t.sendAgain(ctx, again)
}

// goOnLater sends the wake by which a turn that ran out of time goes on in another
// invocation. All its commits are dispatched by then, and the wake names the last event
// of them. Its id is new for each invocation, or SQS would drop it as a repeat of one
// that was handled a minute ago.
func (t *turn) goOnLater(ctx context.Context) error {
	m := t.group.messages[0]
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", m.ID, m.ReceiveCount, t.execution, t.x.LastEventID(), t.Instance))
	item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: t.Instance, ExecutionID: t.execution, SchedulingEventID: t.x.LastEventID(),
		ID: "go-on-" + hex.EncodeToString(sum[:16]), Number: goOnNumber, Depth: t.chain.Depth}
	post := func() error { return t.Post(ctx, &item) }
	if pause := dispatch.Pause(&t.Settings.Loop, item.Depth); pause > 0 {
		post = func() error { return t.goOnSlowly(ctx, &item, pause) }
	}
	if err := post(); err != nil {
		return fmt.Errorf("%w: wake of instance %q: %w", dispatch.ErrUnsent, t.Instance, err)
	}
	return nil
}
