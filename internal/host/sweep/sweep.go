// Package sweep handles instances that receive no messages. It wakes stuck instances: for each due
// problem it sends a wake that names the stamp of the problem, and records in the problem that the
// wake was sent. It also purges ended instances whose retention has expired. Its Keeper archives
// and then deletes histories: those of purged instances, and those of executions of a long loop
// that are no longer needed.
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
	// MaxWakes is the maximum number of wakes that one sweep sends; a further sweep continues with
	// the rest.
	MaxWakes = 1000
	// pageSize is the number of records that a sweep reads at a time.
	pageSize = 100
	// Again is the time after which a problem gets a new wake, even if the previous wake was not
	// handled, because the previous wake may be a dead letter.
	Again = 24 * time.Hour
)

// Watch has the name of the build that tries stuck instances, the function that is called when a
// problem is due (Build and SweepAt of orchestrator.Config), and how long instances are kept.
type Watch struct {
	Build   string
	SweepAt func(at time.Time, ended bool)
	Kept    Kept
}

// Seen calls SweepAt with the time when a problem is due.
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

// Sweeper wakes stuck instances and purges ended ones.
type Sweeper struct {
	Keeper
	Sender *dispatch.Sender
	Watch
	Together func(n int, f func())
	// asked is set if this process has requested the sweep of its build.
	asked atomic.Bool
	// noted is set if SweepAt was called for the instances that had ended before this process
	// started.
	noted atomic.Bool
}

// Take wakes the stuck instances that are due, once for all sweeps of a batch. A sweep causes no
// turn and changes no history. It is settled even if it fails, because the schedule sends another.
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
	if err := s.freeForks(ctx, sweeps); err != nil {
		s.Logger.WarnContext(ctx, "could not purge all forks that never started; the sweep of the next hour continues", "error", err)
	}
	if err := s.sweep(ctx, before); err != nil {
		s.Logger.WarnContext(ctx, "sweep ends early; the next sweep continues", "error", err)
		if s.SweepAt != nil {
			s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), false)
		}
	}
	for _, m := range sweeps {
		s.Settle(m, "sweep")
	}
}

// sweep sends a wake for each due problem, of instances that were created before a given time, or
// of all instances. It notes the wake in the problem, so that no second wake is sent before the
// first is handled.
func (s *Sweeper) sweep(ctx context.Context, beforeMS int64) error {
	q := store.ListQuery{Status: store.StatusStuck, PageSize: pageSize}
	if beforeMS > 0 {
		q.To = time.UnixMilli(beforeMS)
	}
	for woken := 0; ; {
		page, err := s.Store.List(ctx, q)
		if err != nil {
			return fmt.Errorf("host: could not list the stuck instances: %w", err)
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
		if woken += len(due); woken >= MaxWakes || !clock.HasTime(ctx, s.Clock, s.Settings.Turn.MinRemaining) {
			if n := len(page.Records); n > 0 {
				// Another sweep continues with instances created before these; instances of the same
				// millisecond are read again.
				before := page.Records[n-1].CreatedAt.UnixMilli() + 1
				return s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("sweep-before-%d-%d", before, s.Clock.Now().UnixMilli()), BeforeMS: before})
			}
		}
	}
}

// toWake reports whether a problem gets a wake now: it is due, or another build made the last try.
func (s *Sweeper) toWake(r *store.Record) bool {
	p, now := r.Problem, s.Clock.Now()
	if p == nil || p.Kind == store.ProblemCorrupt || p.WokenMS > 0 && now.Sub(time.UnixMilli(p.WokenMS)) < Again {
		return false
	}
	return !time.UnixMilli(p.NextMS).After(now) || p.Build != s.Build
}

// sendWakes sends a wake for each problem, which names the problem's stamp.
func (s *Sweeper) sendWakes(ctx context.Context, due []*store.Record) error {
	out := s.Sender.New()
	for _, r := range due {
		item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: r.Instance, Number: r.Stamp, ID: fmt.Sprintf("sweep-%d", r.Stamp)}
		if err := out.Send(&item); err != nil {
			return fmt.Errorf("host: sending the wake of instance %q: %w", r.Instance, err)
		}
	}
	return s.Sender.Send(ctx, out)
}

// noteWoken records in problems that their wakes were sent. If that fails, the next sweep sends a
// second wake, which finds a different stamp and is dropped.
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
			s.Logger.DebugContext(ctx, "could not note that a stuck instance was woken", "instance", r.Instance, "error", err)
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

// AskFirst requests one sweep in the life of a process of a named build, so that this build tries
// the stuck instances of the previous build at once, and not only when they are due. If many
// processes request a sweep within a second, only one runs. The id contains the second, because the
// queue drops repeated ids for five minutes, and a build that is deployed again within that time,
// after another build, must get its sweep.
func (s *Sweeper) AskFirst(ctx context.Context, messages []*inbox.Message) {
	if s.Build == "" || s.asked.Swap(true) {
		return
	}
	for _, m := range messages {
		if m.Item.Kind == wire.Sweep {
			return // The batch already has a sweep.
		}
	}
	if err := s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("build-%s-%d", s.Build, s.Clock.Now().Unix())}); err != nil {
		s.asked.Store(false)
		s.Logger.DebugContext(ctx, "could not request the next sweep; the next batch requests it again", "error", err)
	}
}
