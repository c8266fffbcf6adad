package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// MaxPurges is how many purges one sweep sends; another goes on with the rest.
	MaxPurges = 1000
	// purgePause is how long after it: a hundred purges a second leave the queue to those
	// that run.
	purgePause = 10 * time.Second
	// hourly is in which time of an hour a sweep of the schedule asks for one of what
	// has ended: that schedule sends one every five minutes.
	hourly = 5 * time.Minute
	// byRetention is the actor of its purges.
	byRetention = "retention"
)

// takeEnded handles the sweeps of what has ended. Whatever becomes of one, the next
// begins anew, and finds what this one has left. Of several that begin, as after an outage of
// some hours, one is made; one for which there is no time left comes back.
func (s *Sweeper) takeEnded(ctx context.Context, messages []*inbox.Message) {
	begun := false
	for _, m := range messages {
		if m.State != inbox.Unsettled || m.Item.Kind != wire.Sweep || m.Item.Ended == "" {
			continue
		}
		if begins := m.Item.Ended == wire.AllEnded; begins && begun {
			s.Settle(m, "sweep")
			continue
		} else if !clock.HasTime(ctx, s.Clock, s.Settings.Turn.Time) {
			s.Fail(m, "no time")
			continue
		} else if begins {
			begun = true
		}
		if err := s.sweepEnded(ctx, &m.Item); err != nil {
			s.Logger.WarnContext(ctx, "sweep of ended instances stops early, the next one goes on", "error", err)
			if s.SweepAt != nil {
				s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), true)
			}
		}
		s.Settle(m, "sweep")
	}
}

// askForEnded has a sweep of what has ended follow the first sweep of each hour that the
// schedule has sent. Where no schedule sends sweeps, SweepAt is told of each end.
func (s *Sweeper) askForEnded(ctx context.Context, sweeps []*inbox.Message) {
	if s.SweepAt != nil || !s.Kept.Any() {
		return
	}
	for _, m := range sweeps {
		sent := s.Clock.Now()
		if m.Item.SentMS > 0 {
			sent = time.UnixMilli(m.Item.SentMS)
		}
		hour := sent.Truncate(time.Hour)
		if m.Item.BeforeMS > 0 || sent.Sub(hour) >= hourly {
			continue
		}
		if err := s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("ended-%d", hour.Unix()), Ended: wire.AllEnded}); err != nil {
			s.Logger.WarnContext(ctx, "no sweep of ended instances asked for; the next hour asks again", "error", err)
		}
		return
	}
}

// sweepEnded sends a purge to each instance that was kept for long enough.
func (s *Sweeper) sweepEnded(ctx context.Context, from *wire.Item) error {
	if !s.Kept.Any() {
		return nil
	}
	p := purging{s: s, now: s.Clock.Now(), parents: map[string]*store.Record{}}
	begins := from.Ended == wire.AllEnded
	// The first sweep of a process looks at what is not due as well, and tells when it is.
	all := s.SweepAt != nil && (begins && !s.noted.Swap(true) || !begins && from.BeforeMS == 0)
	for _, l := range s.Kept.lists(p.now) {
		if l.key < from.Ended {
			continue
		}
		q := store.ListQuery{Status: l.status, Name: l.name, To: l.to, PageSize: pageSize}
		if l.key == from.Ended {
			q.PageToken, q.To = from.PageToken, time.UnixMilli(from.BeforeMS)
		}
		before := q.To.UnixMilli()
		if all {
			q.To, before = time.Time{}, 0
		}
		for more := true; more; {
			page, err := s.Store.List(ctx, q)
			if err != nil {
				return fmt.Errorf("host: ended instances not listed: %w", err)
			}
			if err := p.page(ctx, page.Records); err != nil {
				return err
			}
			q.PageToken = page.NextPageToken
			more = q.PageToken != "" && !(len(page.Records) > 0 && page.Records[len(page.Records)-1].CreatedAt.Before(l.from))
			if more && (p.sent >= MaxPurges || !clock.HasTime(ctx, s.Clock, s.Settings.Turn.Time)) {
				return s.goOn(ctx, wire.Item{Ended: l.key, PageToken: q.PageToken, BeforeMS: before})
			}
		}
	}
	return nil
}

// goOn sends the sweep that goes on, after a pause.
func (s *Sweeper) goOn(ctx context.Context, rest wire.Item) error {
	now := s.Clock.Now()
	rest.V, rest.Kind, rest.Hops = wire.Version, wire.Sweep, 1
	rest.ID = fmt.Sprintf("ended-%s-%d", rest.Ended, now.UnixMilli())
	rest.Stamp(now)
	if err := s.SendLater(ctx, &rest, now.Add(purgePause), nil); err != nil {
		return fmt.Errorf("host: sweep of ended instances: %w", err)
	}
	return nil
}

// purging is one sweep of what has ended.
type purging struct {
	s    *Sweeper
	now  time.Time
	sent int
	// parents that were looked at; nil for a parent that does not exist.
	parents map[string]*store.Record
}

// page sends a purge to those of a page that are due, after the archive has taken them.
func (p *purging) page(ctx context.Context, records []store.Record) error {
	var due []*store.Record
	for i := range records {
		is, err := p.due(ctx, &records[i])
		if err != nil {
			return err
		}
		if is {
			due = append(due, &records[i])
		}
	}
	if due = p.s.archive(ctx, due); len(due) == 0 {
		return nil
	}
	out := p.s.Sender.New()
	for _, r := range due {
		// It names the execution: if the instance has begun again since, that is another one.
		item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, ExecutionID: r.ExecutionID,
			ID: fmt.Sprintf("retention-%d", r.ExecutionID), Actor: byRetention}
		if err := out.Send(&item); err != nil {
			return fmt.Errorf("host: purge of instance %q: %w", r.Instance, err)
		}
	}
	p.sent += len(due)
	return p.s.Sender.Send(ctx, out)
}

// due reports whether an instance was kept for long enough. A child is kept while the
// execution that has started it runs.
func (p *purging) due(ctx context.Context, r *store.Record) (bool, error) {
	keep := p.s.Kept.of(r.Name)
	if !r.Status.Terminal() || keep == 0 {
		return false, nil
	}
	if at := r.EndedAt.Add(keep); at.After(p.now) {
		if p.s.SweepAt != nil {
			p.s.SweepAt(at, true)
		}
		return false, nil
	}
	if r.Parent == nil {
		return true, nil
	}
	parent, known := p.parents[r.Parent.Instance]
	if !known {
		found, err := p.s.Store.Describe(ctx, r.Parent.Instance)
		if err == nil {
			parent = &found
		} else if !errors.Is(err, store.ErrNotFound) {
			return false, fmt.Errorf("host: parent %q of ended instance %q not read: %w", r.Parent.Instance, r.Instance, err)
		}
		p.parents[r.Parent.Instance] = parent
	}
	waits := parent != nil && !parent.Purged && !parent.Status.Terminal() && parent.ExecutionID == r.Parent.ExecutionID
	return !waits, nil
}

// Kept says how long instances are kept after their end.
type Kept struct {
	// Default where the orchestration does not say; 0 keeps for ever.
	Default time.Duration
	// Named has all registered orchestrations; 0 for those that set no retention.
	Named map[string]time.Duration
}

// Any reports whether anything is ever purged.
func (k *Kept) Any() bool { return k.least() > 0 }

// least is the shortest time that anything is kept; 0 where all is kept for ever.
func (k *Kept) least() time.Duration {
	least := k.Default
	for _, d := range k.Named {
		if d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

func (k *Kept) of(name string) time.Duration {
	if d := k.Named[name]; d > 0 {
		return d
	}
	return k.Default
}

// Ended tells SweepAt when an instance that ends now is due, and when its children are.
func (w *Watch) Ended(now time.Time, name string) {
	if w.SweepAt == nil || !w.Kept.Any() {
		return
	}
	w.children(now)
	if own := w.Kept.of(name); own > 0 {
		w.SweepAt(now.Add(own), true)
	}
}

// ContinuedAsNew tells SweepAt when the children of an execution that ends now are due.
func (w *Watch) ContinuedAsNew(now time.Time) {
	if w.SweepAt != nil && w.Kept.Any() {
		w.children(now)
	}
}

// children tells SweepAt when children are due that were kept while the execution ran that started
// them: the retention of those that ended long ago is over. The sweep comes a moment later, and not
// at once, because then the ends of the next minutes share it. A child that has ended since tells
// when it is due itself.
func (w *Watch) children(now time.Time) { w.SweepAt(now.Add(time.Second), true) }

// list is a list of instances, newest first, among which some are due: those that began
// before a time.
type list struct {
	// key orders the lists, and names one in a sweep that goes on.
	key    string
	status store.Status
	name   string
	// Those that began before from stand in another list too.
	from, to time.Time
}

// lists returns the lists in which all that is due stands. Instances that began before the
// longest retention are found by their status, whatever their name; those with a shorter
// retention, by their name. So what is kept for long is not read again by each sweep,
// except for instances that ran for long.
func (k *Kept) lists(now time.Time) []list {
	longest := k.Default
	for name := range k.Named {
		longest = max(longest, k.of(name))
	}
	before := func(keep time.Duration) time.Time {
		// Whole milliseconds, because the time goes into a work item; and one more,
		// because a list ends before it.
		return time.UnixMilli(max(now.Add(-keep).UnixMilli(), 0) + 1)
	}
	var all []list
	var oldest time.Time
	if k.Default > 0 {
		oldest = before(longest)
		for _, status := range store.TerminalStatuses() {
			all = append(all, list{key: "status " + string(status), status: status, to: oldest})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.Named)) {
		if keep := k.of(name); keep > 0 && (k.Default == 0 || keep < longest) {
			all = append(all, list{key: "name " + name, name: name, from: oldest, to: before(keep)})
		}
	}
	slices.SortFunc(all, func(a, b list) int { return strings.Compare(a.key, b.key) })
	return all
}
