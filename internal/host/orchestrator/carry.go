package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// carryOut carries out a plan in the order of its fields, and records the results in the turn.
func (a *attempt) carryOut(ctx context.Context, p *deciding.Plan) error {
	if p.Read != nil {
		a.turn.Answered = p.Read.What // If the read fails, the attempt ends.
		return a.read(ctx, p.Read)
	}
	a.turn.Forget()
	for i := range p.Reports {
		a.say(ctx, &p.Reports[i])
	}
	if p.Again != nil {
		if err := a.out.sendAgain(ctx, p.Again); err != nil {
			return err
		}
	}
	if p.Inline != nil {
		result, err := a.runInline(ctx, p.Inline)
		if err != nil {
			return err
		}
		p.Run.Arrivals = append([]engine.Arrival{{Event: result, Inline: true}}, p.Run.Arrivals...)
	}
	if p.Run != nil {
		if err := a.run(p.Run); err != nil {
			return err
		}
	}
	if p.Commit != nil {
		if err := a.commitAndDispatch(ctx, p.Commit, p.Dispatch); err != nil {
			return err
		}
	}
	if p.Send != (deciding.Sending{}) {
		if err := a.out.send(ctx, &p.Send); err != nil {
			return err
		}
	}
	if p.Record != nil {
		if err := a.write(ctx, p.Record); err != nil {
			return err
		}
	}
	for i := range p.Settled {
		if err := a.settle(ctx, &p.Settled[i]); err != nil {
			return err
		}
	}
	if p.Next != nil {
		return a.goTo(ctx, p.Next)
	}
	return nil
}

// say writes a log line or increments a counter.
func (a *attempt) say(ctx context.Context, s *deciding.Report) {
	if s.Text != "" {
		a.settler.Logger.Log(ctx, s.Level, s.Text, s.With...)
		return
	}
	a.settler.Observer.Count(s.Counted, s.Word, 1)
}

// write changes the record, or turns it into a tombstone.
func (a *attempt) write(ctx context.Context, w *deciding.Write) error {
	t := &a.turn
	if !w.Hide.IsZero() {
		if err := a.tables.Store.Hide(ctx, t.View.Instance, t.View.Record.ExecutionID, w.Hide); err != nil {
			return fmt.Errorf("host: could not hide instance %q: %w", t.View.Instance, err)
		}
		t.Hidden(w.Hide)
		return nil
	}
	if err := a.tables.Store.UpdateRecord(ctx, t.View.Instance, *w.Change); err != nil {
		return fmt.Errorf("host: "+w.Failed+": %w", t.View.Instance, err)
	}
	t.Wrote(w)
	if w.Problem != nil {
		a.settler.Observer.ProblemChanged(host.ProblemChange{Instance: t.View.Instance, ExecutionID: t.View.Record.ExecutionID, At: a.settler.Clock.Now(), Problem: w.Problem})
	}
	return nil
}

// settle completes the handling of a message.
func (a *attempt) settle(ctx context.Context, s *deciding.Settlement) error {
	if s.Report != nil {
		a.say(ctx, s.Report)
	}
	switch d := a.settler; {
	case s.Becomes != nil:
		s.Message.Item = *s.Becomes
	case s.Dead != nil:
		return d.DeadLetter(ctx, s.Message, s.Dead.Reason, s.Dead.Text)
	case s.Requeue != nil && s.Requeue.Within > 0:
		return d.RequeueWithin(ctx, s.Message, s.Requeue.Within, s.Outcome)
	case s.Requeue != nil:
		return d.Requeue(ctx, s.Message, s.Requeue.Item, s.Requeue.Due, s.Outcome)
	default:
		d.Settle(s.Message, s.Outcome)
	}
	return nil
}

// readOrigin reads the instance that a start forks. The fork is refused if the history cannot be
// used. If the history needs another build, the fork waits for that build.
func (a *attempt) readOrigin(ctx context.Context, instance string) error {
	v := &a.turn.Running.Origin
	*v = reading.View{Instance: instance}
	if err := a.tables.source.Describe(ctx, v, false); err != nil {
		return err
	}
	if v.Record == nil || v.Record.Purged {
		return nil
	}
	turns, err := a.tables.source.Read(ctx, v, v.Record.ExecutionID)
	switch {
	case reading.Corrupt(err), err == nil && len(turns) == 0:
		v.Answer(v.Record.ExecutionID, err)
		return nil
	case err == nil && reading.ContinuedAsNew(turns):
		err = fmt.Errorf("host: instance %q ended execution %d while it was read: %w", instance, v.Record.ExecutionID, store.ErrConflict)
	}
	return err
}

// read makes a read that a decision needs.
func (a *attempt) read(ctx context.Context, r *deciding.Read) error {
	t, source := &a.turn, a.tables.source
	switch r.What {
	case deciding.Record, deciding.RecordAgain:
		before, known := t.View.Record, t.View.Described
		err := source.Describe(ctx, &t.View, t.Running.X != nil)
		if t.Tolerates(err) {
			err = nil
		}
		if err == nil && r.What == deciding.RecordAgain {
			err = t.Moved(before, known)
		}
		return err
	case deciding.History:
		turns, err := source.Read(ctx, &t.View, r.Execution)
		if err == nil && len(turns) > 0 {
			return nil
		}
		if err == nil || reading.Corrupt(err) || edge.MissesCodec(err) || errors.Is(err, history.ErrNewer) {
			t.View.Answer(r.Execution, err)
			return nil
		}
		return err
	case deciding.Answers:
		for _, id := range r.Updates {
			key := store.AnswerKey{Instance: t.View.Instance, StartID: t.Running.Started().Start.StartID, ID: id}
			answer, err := a.tables.Store.ReadAnswer(ctx, key)
			if err != nil && !errors.Is(err, store.ErrNoAnswer) {
				return fmt.Errorf("host: reading the answer to update %q of instance %q: %w", id, t.View.Instance, err)
			}
			t.View.TookAnswer(id, err == nil && answer.Decided())
		}
		return nil
	case deciding.Origin:
		return a.readOrigin(ctx, r.Instance)
	case deciding.Behind:
		return source.Unmoved(ctx, t.View.Instance, r.Execution, r.Event)
	case deciding.Damage:
		if err := source.Confirm(ctx, r.Lacks); !reading.Corrupt(err) {
			return err
		}
		return nil
	default:
		key := store.ActivityKey{Instance: t.View.Instance, ExecutionID: r.Execution, EventID: r.Event}
		state, err := a.tables.Stops.State(ctx, key)
		if err != nil {
			return fmt.Errorf("host: reading the state of activity %d of instance %q: %w", key.EventID, key.Instance, err)
		}
		t.TookActivity(key, state)
		return nil
	}
}
