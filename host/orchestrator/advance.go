package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// judged is a message and what the engine says of it.
type judged struct {
	*inbox.Message
	engine.Verdict
}

// advance runs arrivals, and then all that follows from them in this
// invocation: the results of inline activities, and further executions of a
// continue-as-new. Each commit is dispatched before the next is made. The
// messages are settled when all of that is done; so whatever is interrupted
// brings them back.
func (t *turn) advance(ctx context.Context, arrivals []*inbox.Message, w wakes) error {
	if t.x.Ended() {
		return t.settleAll(ctx, t.judge(arrivals))
	}
	if t.swept() && !w.run && !t.news(arrivals) {
		// The mark has to be there still.
		if err := t.currentRecord(ctx); err != nil {
			return err
		}
		return t.settleAll(ctx, t.judge(arrivals))
	}
	t.keep = false
	if t.overHistory(arrivals, w) {
		return t.imposeLongHistory(ctx, arrivals)
	}
	if t.overLoop(arrivals, w) {
		return t.imposeLoop(ctx, arrivals)
	}
	if err := t.checkBlocked(ctx); err != nil {
		return err
	}
	park := t.mustPark(w) || t.blockedBy != nil
	// A start that may kill its process is recorded before it is run, with the mark
	// beside it.
	first := park || t.creating && t.group.suspect != ""
	q := &arrivalQueue{pending: arrivals}
	d, err := t.run(ctx, q, first)
	var cancelled []int64        // by runs that left no event
	var reasons map[int64]string // of them
	for err == nil {
		if t.warm && !t.confirmed && len(d.Events) == 0 && len(q.decided) > 0 && d.State != engine.RunInline {
			// What a warm execution says of a message is believed once its
			// commit has shown that it is not stale. Here there is none.
			return errRebuild
		}
		short, answered := false, false
		if d.State == engine.RunInline && !first {
			if short = !clock.HasTime(ctx, t.Clock, t.Settings.Turn.InlineTime); short {
				err = t.parkPending(d, q)
			} else if !d.dispatches() {
				answered, err = t.answerInline(ctx, d, q)
			}
			if err != nil {
				return err
			}
		}
		// What parked arrivals cancelled without giving an event is stopped by
		// the next commit: only what is stored can be sent again.
		cancelled, d.Cancelled = append(cancelled, d.Cancelled...), nil
		reasons, d.Reasons = engine.ReasonsBoth(reasons, d.Reasons), nil
		if len(d.Events) > 0 {
			d.Cancelled, cancelled = cancelled, nil
			d.Reasons, reasons = reasons, nil
		}
		if err := t.project(ctx, d, w, park); err != nil {
			return err
		}
		if err := t.commitAndDispatch(ctx, d); err != nil {
			return err
		}
		if len(d.Next) > 0 {
			short = t.toNextExecution(ctx, d.Next)
		}
		switch next := follow(d, park, first, answered); {
		case next == nothing:
			t.keep = !park && (d.State == engine.Waiting || d.State == engine.NotStarted) && t.mayKeep(cancelled)
			return t.settleAll(ctx, q.decided)
		case short:
			if err := t.goOnLater(ctx); err != nil {
				return err
			}
			t.keep = t.mayKeep(cancelled)
			return t.settleAll(ctx, q.decided)
		case next == inline:
			d = newDraft(engine.Turn{State: engine.RunInline, Inline: d.Inline, CustomStatus: d.CustomStatus})
		default:
			d, err = t.run(ctx, q, false)
		}
		first = false
	}
	return err
}

// following is what follows a commit.
type following uint8

const (
	// nothing: the instance waits, has ended, or cannot go on.
	nothing following = iota
	// another run: of what is recorded, or of the next execution.
	another
	// inline: an inline activity, which alone is left to do.
	inline
)

// follow says what follows the commit of a draft. park: no code is run; recorded: its
// arrivals were only recorded yet; answered: the result of an inline activity was,
// for which the code is to go on.
func follow(d *draft, park, recorded, answered bool) following {
	switch {
	case len(d.Next) > 0:
		return another
	case d.State == engine.Ended, d.State == engine.Stuck, park:
		return nothing
	case recorded, answered:
		return another
	case d.State == engine.RunInline:
		return inline
	}
	return nothing
}

// mayKeep reports whether the execution may go into the cache: not with cancels
// that no commit holds yet, which a cold run finds again, nor with a mark that
// another is to clear.
func (t *turn) mayKeep(cancelled []int64) bool {
	return len(cancelled) == 0 && t.Problem() == nil
}

// swept reports whether the instance has a mark that the sweeper looks after. It is
// cleared by a new fact, or by a wake of the sweeper's or an operator's, and by nothing
// else. Otherwise: A clears it by a duplicate and dies while its commit is under way; B,
// whose build is broken, acknowledges that duplicate; then A's commit lands. No message is
// left that would send what it asks for.
func (t *turn) swept() bool {
	p := t.Problem()
	return p != nil && p.Kind != store.ProblemCorrupt
}

// news reports whether arrivals bring a fact that the history has not.
func (t *turn) news(arrivals []*inbox.Message) bool {
	return slices.ContainsFunc(arrivals, func(m *inbox.Message) bool {
		return t.verdict(m).Kind == engine.Recorded
	})
}

// verdict is what the engine says of a message, without running anything.
func (t *turn) verdict(m *inbox.Message) engine.Verdict { return t.x.Judge(t.arrival(m)) }

// judge says what becomes of arrivals for which no code is run: they bring nothing new
// to an instance that is stuck, or the execution has ended. Then the code that is
// deployed by now may not agree with the history, and what is finished is never stuck.
func (t *turn) judge(arrivals []*inbox.Message) (decided []judged) {
	for _, m := range arrivals {
		decided = append(decided, judged{m, t.verdict(m)})
	}
	return decided
}

// run runs what is pending, or records it only, and takes the verdicts on it.
func (t *turn) run(ctx context.Context, q *arrivalQueue, park bool) (*draft, error) {
	in, err := t.input(q.pending, park)
	if err != nil {
		return nil, err
	}
	out, err := t.runOn(ctx, in)
	if err != nil {
		return nil, err
	}
	q.sortOut(out.Verdicts)
	return newDraft(out), nil
}

// runOn runs the execution. What a warm one finds wrong is believed only after it
// has been rebuilt from what is stored.
func (t *turn) runOn(ctx context.Context, in engine.Input) (engine.Turn, error) {
	began := t.Clock.Now()
	out, err := t.x.Run(in)
	t.Observer.Timing(host.TimeReplay, t.Clock.Now().Sub(began))
	if t.warm && (err != nil || out.Stuck != nil && out.Stuck.Kind == engine.StuckNondeterminism) {
		return engine.Turn{}, errRebuild
	}
	if err == nil && out.Stuck != nil && out.Stuck.Patch != "" {
		err = t.leaveToAnotherBuild(ctx, out.Stuck)
	}
	return out, err
}

// arrivalQueue is the arrivals of an invocation.
type arrivalQueue struct {
	pending []*inbox.Message // the engine has not looked at them yet
	decided []judged
}

// sortOut takes the verdicts on the pending ones.
func (q *arrivalQueue) sortOut(verdicts []engine.Verdict) {
	var pending []*inbox.Message
	for i, m := range q.pending {
		if i >= len(verdicts) || verdicts[i].Kind == engine.Pending {
			pending = append(pending, m)
			continue
		}
		q.decided = append(q.decided, judged{m, verdicts[i]})
	}
	q.pending = pending
}

// settleAll does with each message what its verdict asks for.
func (t *turn) settleAll(ctx context.Context, decided []judged) error {
	for _, j := range decided {
		var err error
		switch j.Kind {
		case engine.Misaddressed, engine.Forged:
			err = t.refuse(ctx, j.Message, j.Verdict)
		case engine.Exists:
			err = t.exists(ctx, j.Message)
		case engine.Early:
			err = t.early(ctx, j.Message)
		default:
			t.Settle(j.Message, j.Verdict.Kind.String())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuse makes a dead letter of a message that is misaddressed or forged.
func (t *turn) refuse(ctx context.Context, m *inbox.Message, v engine.Verdict) error {
	reason, missing := wire.ReasonMisaddressed, ""
	if v.Kind == engine.Forged {
		reason, missing = wire.ReasonForged, inbox.MissingKey(t.Keys, m.Item.Token)
	}
	return t.DeadLetter(ctx, m, reason, fmt.Sprintf("%s for instance %q execution %d: %s%s",
		m.Item.Kind, t.Instance, m.Item.TargetExecution(), v.Reason, missing))
}

// toNextExecution goes on with the execution whose first events were committed
// together with the end of the one before. It reports whether this invocation is to
// run no more of them.
func (t *turn) toNextExecution(ctx context.Context, events []history.Event) (short bool) {
	t.x.Close()
	t.execution++
	t.x, t.work, t.warm = t.newExecution(t.Instance, t.execution), dispatch.Work{}, false
	t.work.Add(events)
	// They were made by the engine itself: they can't be corrupt.
	_ = t.x.Feed(events, true)
	t.continued++
	return t.continued >= t.Settings.Turn.Executions || t.Settings.Loop.Beyond(t.chain.Depth) || !clock.HasTime(ctx, t.Clock, t.Settings.Turn.Time)
}
