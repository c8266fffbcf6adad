package host

import (
	"context"
	"errors"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// followLimit is through how many executions a message answers for what follows
// from it, at least.
const followLimit = 100

// resending gathers what has to be sent again for messages whose facts stand
// in history, each commit once.
type resending struct {
	t    *turn
	out  *outbox
	done map[place]bool // by execution and slot
	open map[int64]work // by execution
}

func (t *turn) newResending() *resending {
	return &resending{t: t, out: t.newOutbox(), done: map[place]bool{}, open: map[int64]work{}}
}

// from adds what is still open of the commit in which the fact stands, and of
// the commits after it up to the next one that begins with an arrival from a
// message, which its own message answers for. Where an execution on this way
// ended as continued-as-new, it goes on with the next, and so on through every
// execution that this end began.
func (r *resending) from(ctx context.Context, at place) error {
	for n, first := at.execution, true; ; n, first = n+1, false {
		turns, err := r.t.read(ctx, n)
		if err != nil {
			return err
		}
		i := 0
		if first {
			i = indexOf(turns, at.eventID)
			if i == 0 && r.continues(n) {
				// One commit holds the end of the execution before and the
				// first turn of this one.
				if err := r.endOf(ctx, n-1); err != nil {
					return err
				}
			}
		}
		for ; i < len(turns); i++ {
			if turns[i].Messaged && !first {
				return nil
			}
			r.turn(turns, i)
			first = false
		}
		// An invocation runs only so many executions; what follows them began
		// with its wake, which brings back what was lost. But several messages
		// that came back may have run their share each.
		if !continuedAsNew(turns) || n-at.execution > int64(max(followLimit, r.t.Settings.ContinueLimit)) {
			return nil
		}
	}
}

// behind adds what is still open of the commits behind a place up to which all
// was dispatched, as far as no message of its own answers for them. It reports
// whether there are any.
func (r *resending) behind(ctx context.Context, at place) (found bool, err error) {
	if at.execution < max(r.t.firstExecution(), 1) || at.execution > r.t.execution {
		return false, nil
	}
	turns, err := r.t.read(ctx, at.execution)
	if err != nil || len(turns) == 0 || at.eventID >= turns[len(turns)-1].Last() {
		return false, err
	}
	if i := indexOf(turns, at.eventID+1); turns[i].Messaged {
		return false, nil
	}
	return true, r.from(ctx, place{at.execution, at.eventID + 1})
}

func (r *resending) continues(n int64) bool { return n > 1 && n > r.t.firstExecution() }

// lastTurn adds the commits of the last turn that was run, whatever has been
// parked behind it: for a wake.
func (r *resending) lastTurn(ctx context.Context) error {
	turns, err := r.t.read(ctx, r.t.execution)
	if err != nil || len(turns) == 0 {
		return err
	}
	i := len(turns) - 1
	for i > 0 && turns[i].Parked {
		i--
	}
	for i > 0 && !turns[i].Messaged {
		i--
	}
	return r.from(ctx, place{r.t.execution, turns[i].First()})
}

// unknowingEnd adds the commits of the last turn, if it ended the instance and
// its process did not know that it was stuck: its message may have been settled
// by who marked it. Who knew answers for the end by its own message; what it
// sent long ago is not sent again.
func (r *resending) unknowingEnd(ctx context.Context) error {
	turns, err := r.t.read(ctx, r.t.execution)
	if err != nil || len(turns) == 0 || strings.Contains(turns[len(turns)-1].Token, knewMark) {
		return err
	}
	return r.lastTurn(ctx)
}

// everything adds all that is open of the current execution: for an operator's
// wake.
func (r *resending) everything(ctx context.Context) error {
	turns, err := r.t.read(ctx, r.t.execution)
	if err != nil {
		return err
	}
	if r.continues(r.t.execution) {
		if err := r.endOf(ctx, r.t.execution-1); err != nil {
			return err
		}
	}
	for i := range turns {
		r.turn(turns, i)
	}
	return nil
}

// endOf adds the commit with which an execution ended. One that can't be read by
// anybody, or by this build, holds up nothing of the execution that followed; a
// read that fails for the moment is made again when the message comes back.
func (r *resending) endOf(ctx context.Context, execution int64) error {
	turns, err := r.t.read(ctx, execution)
	if corrupt(err) || missesCodec(err) || errors.Is(err, history.ErrNewer) {
		return nil
	}
	if err == nil && len(turns) > 0 {
		r.turn(turns, len(turns)-1)
	}
	return err
}

// turn adds one commit of an execution: what it scheduled and is open still,
// what it cancelled, and its end.
func (r *resending) turn(turns []store.Turn, i int) {
	t := &turns[i]
	slot := place{t.ExecutionID, t.First()}
	if r.done[slot] {
		return
	}
	r.done[slot] = true
	open := r.open[t.ExecutionID]
	if open == nil {
		open = newWork()
		for j := range turns {
			open.add(turns[j].Events)
			open.close(turns[j].Cancelled)
		}
		r.open[t.ExecutionID] = open
	}
	send := sending{Turn: t, start: &history.Start{}, name: turns[0].Events[0].Name,
		attached: func() []*history.Parent { return engine.AttachedIn(eventsOf(turns)) },
		open:     func(id int64) bool { _, ok := open[id]; return ok },
		find:     func(id int64) openWork { return workAt(turns, id) },
	}
	if s := turns[0].Events[0].Start; s != nil {
		send.start = s
	}
	r.t.Observer.Count(CountResent, "commit", 1)
	r.out.add(send)
}

func (r *resending) flush(ctx context.Context) error { return r.t.dispatch(ctx, r.out) }

// indexOf returns the index of the turn that holds the event.
func indexOf(turns []store.Turn, eventID int64) int {
	for i := range turns {
		if eventID <= turns[i].Last() {
			return i
		}
	}
	return max(len(turns)-1, 0)
}

// workAt returns what the scheduling event asked for.
func workAt(turns []store.Turn, eventID int64) openWork {
	i := indexOf(turns, eventID)
	at := eventID - turns[i].First()
	if at < 0 || at >= int64(len(turns[i].Events)) {
		return openWork{}
	}
	e := &turns[i].Events[at]
	return opened(e)
}

func continuedAsNew(turns []store.Turn) bool {
	if len(turns) == 0 {
		return false
	}
	last := &turns[len(turns)-1]
	return last.Events[len(last.Events)-1].Kind == history.OrchestrationContinuedAsNew
}
