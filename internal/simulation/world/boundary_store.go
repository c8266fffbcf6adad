package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// simStore is the store as a process sees it.
type simStore struct {
	store.Store
	p *Process
}

func (s simStore) Commit(ctx context.Context, c store.Commit) error {
	w := s.p.W
	if len(c.Turns) == 0 {
		return s.Store.Commit(ctx, c) // The store refuses it.
	}
	if _, is := w.partOf(&c); is {
		return s.commitPart(ctx, c)
	}
	c.Turns = slices.Clone(c.Turns) // A request in flight does not change with the host's values.
	sent := c
	encoded := w.whole(c)
	c.Turns = w.Opened(encoded.Turns)
	inv := s.p.Running
	x := &Write{By: s.p, In: inv, Instance: c.Turns[0].Instance, Commit: &c, Encoded: &encoded, Sent: &sent, Change: c.Record}
	w.Watch.Writes(x)
	kind, own := commitClass, inv.Committed.Of(x.Instance)
	// The write may have landed or may still land, so the answer must not say that it did not. A
	// writer that gets a conflict after its own commit concludes that another process continued
	// from that commit.
	switch reporting := reportsMuch(&c); {
	case w.attempted[c.Turns[0].Token]:
		kind = repeatedCommit
	case own && reporting:
		kind = reportingWrite
	case own:
		kind = writeClass
	case reporting:
		kind = reportingCommit
	}
	w.attempted[c.Turns[0].Token] = true
	err := s.p.call(kind, func() string { return commitText(&c) }, func() error {
		if kind == repeatedCommit {
			if err := w.inProgress(s.p, x.Instance); err != nil {
				return err
			}
		}
		w.Watch.Meets(x)
		torn := w.tearing(s.p, &sent)
		err := w.commit(ctx, x)
		if err == nil {
			torn()
		}
		if err == nil && s.p.Dead {
			return ErrKilled
		}
		return err
	})
	err = w.awaitsAnswer(s.p, x.Instance, err)
	w.Watch.Answered(x, err)
	if err == nil {
		for i := range c.Turns {
			t := &c.Turns[i]
			s.p.Seen[ledger.At(t.Instance, t.ExecutionID)] = t.Last()
		}
		s.p.Running.Committed.Set(c.Turns[0].Instance, true)
	}
	return err
}

// reportsMuch reports whether a commit ends an execution, or changes whether its instance is
// stuck.
func reportsMuch(c *store.Commit) bool {
	events := c.Turns[0].Events
	return len(events) > 0 && events[len(events)-1].Kind.Terminal() || c.Record != nil && c.Record.Problem != nil
}

func (s simStore) Read(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("reads %s/%d from %d", instance, executionID, from) }, func() error {
		turns, err = s.Store.Read(ctx, instance, executionID, from)
		turns, err = s.p.W.tornRead(instance, executionID, turns, err)
		turns, err = s.p.W.damagedRead(instance, executionID, turns, err)
		s.p.noteReceived(func() string { return turnsText(turns) })
		return err
	})
	if s.p.W.Copied(instance, executionID) {
		s.p.W.Watch.ReadsPart(s.p, instance, executionID)
		if n := len(turns); n > 0 {
			s.p.Seen[ledger.At(instance, executionID)] = turns[n-1].Last()
		}
		return turns, err
	}
	s.p.W.Watch.Reads(s.p, instance, turns, err)
	if n := len(turns); n > 0 && s.p.handles(instance) {
		s.p.Seen[ledger.At(instance, executionID)] = turns[n-1].Last()
	}
	return turns, err
}

// handles reports whether a process has a message for an instance. If not, it reads the
// instance on behalf of a fork, and does not continue it.
func (p *Process) handles(instance string) bool {
	return p.Running == nil || slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool {
		item, err := p.W.Item(m.Body)
		return err != nil || item.Target() == instance
	})
}

func (s simStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	err = s.p.call(readClass, func() string { return "describes " + instance }, func() error {
		r, err = s.Store.Describe(ctx, instance)
		r, err = s.p.W.tornRecord(instance, r, err)
		if err == nil {
			s.p.W.Watch.Describes(s.p, &r)
		}
		s.p.noteReceived(func() string { return RecordText(&r) })
		return err
	})
	return r, err
}

func (s simStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (at store.Isolated, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("confirms event %d of %s/%d", eventID, instance, executionID) }, func() error {
		if err := s.p.W.isolatedBeside(instance); err != nil {
			return err
		}
		at, err = s.Store.ReadIsolated(ctx, instance, executionID, eventID)
		at.Stored = at.Stored && !s.p.W.gone(instance, executionID)
		if err == nil && at.Record != nil {
			s.p.W.Watch.Describes(s.p, at.Record)
		}
		s.p.noteReceived(func() string { return fmt.Sprintf("%t %s", at.Stored, jsonText(at.Record)) })
		return err
	})
	return at, err
}

func (s simStore) List(ctx context.Context, q store.ListQuery) (page store.ListPage, err error) {
	err = s.p.call(readClass, func() string { return "lists instances" }, func() error {
		// A run has few instances, and code that lists them must also read further pages.
		q.PageSize = min(q.PageSize, 2)
		page, err = s.Store.List(ctx, q)
		// An index lags behind its table, mostly by less than a second; AWS guarantees no
		// bound.
		page.Records = slices.DeleteFunc(page.Records, func(store.Record) bool { return s.p.W.hit(fault.IndexLate) })
		s.p.W.Watch.Lists(s.p, page.Records)
		for i := range page.Records {
			s.p.noteReceived(func() string { return RecordText(&page.Records[i]) })
		}
		return err
	})
	return page, err
}

func (s simStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	w := s.p.W
	x := &Write{By: s.p, In: s.p.Running, Instance: instance, Change: &change}
	w.Watch.Writes(x)
	kind := writeClass
	if change.Problem != nil {
		kind = reportingWrite
	}
	if change.Dispatched != nil {
		w.Reached("dispatch, stops short")
	}
	err := s.p.call(kind, func() string { return fmt.Sprintf("changes record of %s: %s", instance, changeText(&change)) }, func() error {
		w.Watch.Meets(x)
		w.mended(instance)
		err := s.Store.UpdateRecord(ctx, instance, change)
		if err == nil {
			w.Watch.Landed(x)
			w.marks(&change)
		}
		return err
	})
	w.Watch.Answered(x, err)
	return err
}

func (s simStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	inv := s.p.Running
	return s.p.call(writeClass, func() string { return "hides " + instance }, func() error {
		s.p.W.mended(instance)
		err := s.Store.Hide(ctx, instance, executionID, freeAt)
		if err == nil {
			s.p.W.Watch.Hides(inv, instance, executionID)
		}
		return err
	})
}

func (s simStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = s.p.call(writeClass, func() string { return "deletes histories of " + instance }, func() error {
		s.p.W.Watch.Deletes(instance, upTo)
		s.p.W.mended(instance)
		done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit)
		if err == nil && s.p.W.tornHere() {
			s.p.W.tear(instance, &tear{deleted: upTo}, false)
		}
		return err
	})
	return done && err == nil, err
}

func (s simStore) PutAnswer(ctx context.Context, a store.Answer) error {
	a.Event.Payload = slices.Clone(a.Event.Payload) // A request in flight does not change with the host's values.
	return s.p.call(writeClass, func() string { return "stores " + storedAnswerText(&a) }, func() error {
		before := s.p.W.answer(a.AnswerKey)
		err := s.Store.PutAnswer(ctx, a)
		if err == nil {
			s.p.W.Watch.PutsAnswer(s.p, &a, before, s.p.W.answer(a.AnswerKey))
		}
		return err
	})
}

// answer returns a stored answer; nil for none.
func (w *World) answer(key store.AnswerKey) *store.Answer {
	a, err := w.Store.ReadAnswer(context.Background(), key)
	if err != nil {
		return nil
	}
	return &a
}

func (s simStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (a store.Answer, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("reads the answer to update %q of %s", key.ID, key.Instance) }, func() error {
		a, err = s.Store.ReadAnswer(ctx, key)
		s.p.noteReceived(func() string { return storedAnswerText(&a) })
		if err == nil {
			s.p.W.Watch.ReadsAnswer(s.p, &a)
		}
		return err
	})
	return a, err
}

func (s simStore) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	err = s.p.call(writeClass, func() string { return "deletes answers of " + instance }, func() error {
		done, err = s.Store.DeleteAnswers(ctx, instance, limit)
		return err
	})
	return done && err == nil, err
}

// storedAnswerText describes an answer with the event that it is about.
func storedAnswerText(a *store.Answer) string {
	return fmt.Sprintf("the answer to update %q of %s: event %d (%s) of execution %d", a.ID, a.Instance, a.Event.EventID, a.Event.Kind, a.ExecutionID)
}

// commit makes a commit, and lets the watcher see it when it lands.
func (w *World) commit(ctx context.Context, x *Write) error {
	if err := w.fits(x.Sent); err != nil {
		return err
	}
	err := w.Store.Commit(ctx, *x.Sent)
	if w.Sabotage.Commit != nil {
		err = w.Sabotage.Commit(x.Commit, err)
	}
	if err != nil {
		return err
	}
	w.Watch.Landed(x)
	w.marks(x.Change)
	return nil
}
