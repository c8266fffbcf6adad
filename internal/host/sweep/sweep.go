// Package sweep looks after instances to which no message comes. It wakes stuck instances: it
// reads which problem marks are due, sends each a wake that names its stamp, and records that
// in the mark. And it has those purged that have ended and were kept for long enough. Its
// Keeper deletes histories: of what was purged, and of executions of a long loop that
// nothing needs any more, once the archive has them.
package sweep

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// MaxWakes is how many wakes one sweep sends; another goes on with the rest.
	MaxWakes = 1000
	// pageSize is how many records a sweep reads at a time.
	pageSize = 100
	// Again is the time after which a mark gets another wake although the one
	// before was not handled: it may be a dead letter.
	Again = 24 * time.Hour
)

// Watch is what looks after marks: the name of the build that tries, and what is told
// when a mark is due (Build and SweepAt of orchestrator.Config); and how long instances
// are kept.
type Watch struct {
	Build   string
	SweepAt func(at time.Time, ended bool)
	Kept    Kept
}

// Seen tells SweepAt when a mark is due.
func (w *Watch) Seen(p *store.Problem) {
	if w.SweepAt == nil || p.Kind == store.ProblemCorrupt {
		return
	}
	at := time.UnixMilli(p.NextMS)
	if p.WokenMS > 0 {
		if again := time.UnixMilli(p.WokenMS).Add(Again); again.After(at) {
			at = again
		}
	}
	w.SweepAt(at, false)
}

// Sweeper wakes what is stuck.
type Sweeper struct {
	Keeper
	Sender *dispatch.Sender
	Watch
	Together func(n int, f func())
	// asked: this process has asked for the sweep of its build.
	asked atomic.Bool
	// noted: SweepAt has been told of what had ended before this process began.
	noted atomic.Bool
}

// Take wakes what is stuck and due, once for all sweeps of a batch. A sweep
// makes no turn and changes no history. It is done whatever becomes of it: another
// follows by the schedule.
func (s *Sweeper) Take(ctx context.Context, messages []*inbox.Message) {
	var sweeps []*inbox.Message
	before := int64(-1)
	for _, m := range messages {
		if m.State == inbox.Unsettled && m.Item.Kind == wire.Sweep && m.Item.Ended == "" {
			sweeps = append(sweeps, m)
			if before != 0 && (m.Item.BeforeMS == 0 || m.Item.BeforeMS > before) {
				before = m.Item.BeforeMS
			}
		}
	}
	if s.takeEnded(ctx, messages); len(sweeps) == 0 {
		return
	}
	s.askForEnded(ctx, sweeps)
	if err := s.sweep(ctx, before); err != nil {
		s.Logger.WarnContext(ctx, "sweep ends early, the next one goes on", "error", err)
		if s.SweepAt != nil {
			s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), false)
		}
	}
	for _, m := range sweeps {
		s.Settle(m, "sweep")
	}
}

// sweep sends a wake for each mark that is due, of instances created before a
// time, or of all, and notes that it has: no second one is sent while the first is
// not handled.
func (s *Sweeper) sweep(ctx context.Context, beforeMS int64) error {
	q := store.ListQuery{Status: store.StatusStuck, PageSize: pageSize}
	if beforeMS > 0 {
		q.To = time.UnixMilli(beforeMS)
	}
	for woken := 0; ; {
		page, err := s.Store.List(ctx, q)
		if err != nil {
			return fmt.Errorf("host: stuck instances not listed: %w", err)
		}
		var due []*store.Record
		for i := range page.Records {
			r := &page.Records[i]
			if s.toWake(r) {
				due = append(due, r)
			} else if r.Problem != nil {
				s.Seen(r.Problem)
			}
		}
		if len(due) > 0 {
			if err := s.sendWakes(ctx, due); err != nil {
				return err
			}
			s.noteWoken(ctx, due)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return nil
		}
		if woken += len(due); woken >= MaxWakes || !clock.HasTime(ctx, s.Clock, s.Settings.Turn.Time) {
			if n := len(page.Records); n > 0 {
				// Another sweep goes on with those created before; instances of the
				// same millisecond are looked at again.
				before := page.Records[n-1].CreatedAt.UnixMilli() + 1
				return s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("sweep-before-%d-%d", before, s.Clock.Now().UnixMilli()), BeforeMS: before})
			}
		}
	}
}

// toWake reports whether a mark gets a wake now: its time has come, or another build
// than this one has made the last try.
func (s *Sweeper) toWake(r *store.Record) bool {
	p, now := r.Problem, s.Clock.Now()
	if p == nil || p.Kind == store.ProblemCorrupt || p.WokenMS > 0 && now.Sub(time.UnixMilli(p.WokenMS)) < Again {
		return false
	}
	return !time.UnixMilli(p.NextMS).After(now) || p.Build != s.Build
}

// sendWakes sends a wake for each mark, which names its stamp.
func (s *Sweeper) sendWakes(ctx context.Context, due []*store.Record) error {
	out := s.Sender.New()
	for _, r := range due {
		item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: r.Instance, Number: r.Stamp, ID: fmt.Sprintf("sweep-%d", r.Stamp)}
		if err := out.Send(&item); err != nil {
			return fmt.Errorf("host: wake of instance %q: %w", r.Instance, err)
		}
	}
	return s.Sender.Send(ctx, out)
}

// noteWoken notes in marks that their wakes are sent. One that is not noted gets
// another wake by the next sweep, which finds the mark moved and is dropped.
func (s *Sweeper) noteWoken(ctx context.Context, woken []*store.Record) {
	sharing.SideBySide(ctx, s.Settings.Dispatch.Parallelism, len(woken), s.Together, func(i int) {
		r := woken[i]
		p := *r.Problem
		p.WokenMS = s.Clock.Now().UnixMilli()
		problem := &p
		change := store.RecordChange{
			If:      store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &r.Stamp},
			Problem: &problem, UpdatedAt: r.UpdatedAt,
		}
		if err := s.Store.UpdateRecord(ctx, r.Instance, change); err != nil {
			s.Logger.DebugContext(ctx, "wake of a stuck instance not noted", "instance", r.Instance, "error", err)
		}
	})
}

// askForSweep sends a Sweep to the orchestrator queue.
func (s *Sweeper) askForSweep(ctx context.Context, item wire.Item) error {
	item.V, item.Kind = wire.Version, wire.Sweep
	if err := s.Post(ctx, &item); err != nil {
		return fmt.Errorf("%w: sweep: %w", dispatch.ErrUnsent, err)
	}
	return nil
}

// AskFirst asks for a sweep once in the life of a process of a named build: what the
// build before was stuck with is tried by this one at once, and not when it is due.
// Sweeps that many processes ask for within a second are one. The second is part of the
// id: the queue drops a repeat for five minutes, and a build that comes back within
// these, after another, must be heard again.
func (s *Sweeper) AskFirst(ctx context.Context, messages []*inbox.Message) {
	if s.Build == "" || s.asked.Swap(true) {
		return
	}
	for _, m := range messages {
		if m.Item.Kind == wire.Sweep {
			return // This one will do.
		}
	}
	if err := s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("build-%s-%d", s.Build, s.Clock.Now().Unix())}); err != nil {
		s.asked.Store(false)
		s.Logger.DebugContext(ctx, "no sweep asked for; the next batch asks again", "error", err)
	}
}
