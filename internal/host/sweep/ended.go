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
	// MaxPurges is the maximum number of purges that one sweep sends; a further sweep continues
	// with the rest.
	MaxPurges = 1000
	// purgePause is the pause before the next sweep continues. It limits purges to a hundred a
	// second, so that the queue stays free for running instances.
	purgePause = 10 * time.Second
	// hourly is the time after the start of each hour in which a scheduled sweep also requests a
	// sweep of ended instances. The schedule sends a sweep every five minutes.
	hourly = 5 * time.Minute
	// byRetention is the actor of purges by retention.
	byRetention = "retention"
)

// takeEnded handles the sweeps of ended instances. Each sweep is settled even if it fails, because
// the next sweep starts over and finds the same instances. If several sweeps start over, as after
// an outage of some hours, only one of them is run. A sweep for which there is no time left returns
// to the queue.
func (s *Sweeper) takeEnded(ctx context.Context, messages []*inbox.Message) {
	started := false
	for _, m := range messages {
		if m.State != inbox.Unsettled || m.Item.Kind != wire.Sweep || m.Item.Ended == "" {
			continue
		}
		if starts := m.Item.Ended == wire.AllEnded; starts && started {
			s.Settle(m, "sweep")
			continue
		} else if !clock.HasTime(ctx, s.Clock, s.Settings.Turn.MinRemaining) {
			s.Fail(m, "no time")
			continue
		} else if starts {
			started = true
		}
		if err := s.sweepEnded(ctx, m); err != nil {
			s.Logger.WarnContext(ctx, "sweep of ended instances stops early; the next sweep continues", "error", err)
			if s.SweepAt != nil {
				s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), true)
			}
		}
		s.Settle(m, "sweep")
	}
}

// askForEnded asks for a sweep of ended instances with the first sweep of each hour that the
// schedule has sent. If no schedule sends sweeps, SweepAt is called for each end instead.
func (s *Sweeper) askForEnded(ctx context.Context, sweeps []*inbox.Message) {
	if s.SweepAt != nil || !s.Kept.Any() {
		return
	}
	if hour, first := s.firstOfHour(sweeps); first {
		if err := s.askForSweep(ctx, wire.Item{ID: fmt.Sprintf("ended-%d", hour.Unix()), Ended: wire.AllEnded}); err != nil {
			s.Logger.WarnContext(ctx, "could not request the sweep of ended instances; it is requested again in the next hour", "error", err)
		}
	}
}

// firstOfHour reports whether one of the sweeps is the first that the schedule sent in an hour.
func (s *Sweeper) firstOfHour(sweeps []*inbox.Message) (hour time.Time, first bool) {
	for _, m := range sweeps {
		sent := s.Clock.Now()
		if m.Item.SentMS > 0 {
			sent = time.UnixMilli(m.Item.SentMS)
		}
		if hour = sent.Truncate(time.Hour); m.Item.BeforeMS == 0 && sent.Sub(hour) < hourly {
			return hour, true
		}
	}
	return hour, false
}

// freeForks sends a purge to each fork whose copy has been incomplete for so long that no message
// can continue it any more. It runs once an hour.
func (s *Sweeper) freeForks(ctx context.Context, sweeps []*inbox.Message) error {
	if _, first := s.firstOfHour(sweeps); !first {
		return nil
	}
	q := store.ListQuery{Status: store.StatusForking, To: s.Clock.Now().Add(-endedFor), PageSize: pageSize}
	page, err := s.Store.List(ctx, q) // The sweep of the next hour handles the next page.
	if err != nil {
		return fmt.Errorf("host: could not list the forks that have not started: %w", err)
	}
	out := s.Sender.New()
	for i := range page.Records {
		r := &page.Records[i]
		item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, ExecutionID: r.ExecutionID,
			ID: fmt.Sprintf("forking-%d", r.ExecutionID), Actor: byRetention}
		if err := out.Send(&item); err != nil {
			return fmt.Errorf("host: sending the purge of the fork %q: %w", r.Instance, err)
		}
	}
	if len(page.Records) == 0 {
		return nil
	}
	return s.Sender.Send(ctx, out)
}

// sweepEnded sends a purge to each instance whose retention has expired.
func (s *Sweeper) sweepEnded(ctx context.Context, m *inbox.Message) error {
	if !s.Kept.Any() {
		return nil
	}
	from, p := &m.Item, purging{s: s, now: s.Clock.Now(), careful: m.Returning(), parents: map[string]*store.Record{}}
	starts := from.Ended == wire.AllEnded
	// The first sweep of a process also reads instances that are not due, and reports when they are.
	all := s.SweepAt != nil && (starts && !s.noted.Swap(true) || !starts && from.BeforeMS == 0)
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
				return fmt.Errorf("host: could not list the ended instances: %w", err)
			}
			sent := p.sent
			if err := p.page(ctx, page.Records); errors.Is(err, errNoTime) && p.sent > sent {
				return s.proceed(ctx, wire.Item{Ended: l.key, PageToken: q.PageToken, BeforeMS: before})
			} else if err != nil {
				return err
			}
			q.PageToken = page.NextPageToken
			more = q.PageToken != "" && !(len(page.Records) > 0 && page.Records[len(page.Records)-1].CreatedAt.Before(l.from))
			if more && (p.sent >= MaxPurges || !clock.HasTime(ctx, s.Clock, s.Settings.Turn.MinRemaining)) {
				return s.proceed(ctx, wire.Item{Ended: l.key, PageToken: q.PageToken, BeforeMS: before})
			}
		}
	}
	return nil
}

// proceed sends the sweep that continues this one, after a pause.
func (s *Sweeper) proceed(ctx context.Context, rest wire.Item) error {
	now := s.Clock.Now()
	rest.V, rest.Kind, rest.Hops = wire.Version, wire.Sweep, 1
	rest.ID = fmt.Sprintf("ended-%s-%d", rest.Ended, now.UnixMilli())
	rest.Stamp(now)
	if err := s.SendLater(ctx, &rest, now.Add(purgePause), nil); err != nil {
		return fmt.Errorf("host: sending the next sweep of ended instances: %w", err)
	}
	return nil
}

// purging is one sweep of ended instances.
type purging struct {
	s    *Sweeper
	now  time.Time
	sent int
	// careful is set if the message of the sweep was redelivered (archiving.keep).
	careful bool
	// parents that were read; nil for a parent that does not exist.
	parents map[string]*store.Record
}

// page archives the due instances of a page, and then sends a purge to each.
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
	due, stopped := p.s.archive(ctx, due, p.careful)
	if len(due) == 0 {
		return stopped
	}
	out := p.s.Sender.New()
	for _, r := range due {
		// The purge names the execution, so that it does not purge an instance that has restarted since.
		item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, ExecutionID: r.ExecutionID,
			ID: fmt.Sprintf("retention-%d", r.ExecutionID), Actor: byRetention}
		if err := out.Send(&item); err != nil {
			return fmt.Errorf("host: sending the purge of instance %q: %w", r.Instance, err)
		}
	}
	p.sent += len(due)
	if err := p.s.Sender.Send(ctx, out); err != nil {
		return err
	}
	return stopped
}

// due reports whether the retention of an instance is over. A child is kept while the execution
// that started it runs.
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
			return false, fmt.Errorf("host: could not read parent %q of ended instance %q: %w", r.Parent.Instance, r.Instance, err)
		}
		p.parents[r.Parent.Instance] = parent
	}
	waits := parent != nil && !parent.Purged && !parent.Status.Terminal() && parent.ExecutionID == r.Parent.ExecutionID
	return !waits, nil
}

// Kept is how long instances are kept after their end.
type Kept struct {
	// Default applies to orchestrations that set no retention; 0 keeps instances for ever.
	Default time.Duration
	// Named has all registered orchestrations; 0 for those that set no retention.
	Named map[string]time.Duration
}

// Any reports whether any instance is ever purged.
func (k *Kept) Any() bool { return k.least() > 0 }

// least returns the shortest retention; 0 if all instances are kept for ever.
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

// Ended calls SweepAt with the times at which an instance that ends now, and its children, are due.
func (w *Watch) Ended(now time.Time, name string) {
	if w.SweepAt == nil || !w.Kept.Any() {
		return
	}
	w.children(now)
	if own := w.Kept.of(name); own > 0 {
		w.SweepAt(now.Add(own), true)
	}
}

// ContinuedAsNew calls SweepAt with the time when the children of an execution that ends now are
// due.
func (w *Watch) ContinuedAsNew(now time.Time) {
	if w.SweepAt != nil && w.Kept.Any() {
		w.children(now)
	}
}

// children calls SweepAt for children that were kept while the execution that started them ran,
// because the retention of a child that ended long ago has already expired. The sweep comes a
// second later and not at once, so that the ends of the next minutes share it. A child that ends
// later calls SweepAt itself.
func (w *Watch) children(now time.Time) { w.SweepAt(now.Add(time.Second), true) }

// list is a list of instances that started before a time, newest first. Some of them are due.
type list struct {
	// key orders the lists, and names a list in a sweep that continues.
	key    string
	status store.Status
	name   string
	// Instances that started before from are also in another list.
	from, to time.Time
}

// lists returns lists that together contain all due instances. Instances that started longer ago
// than the longest retention are found by their status, whatever their name; instances with a
// shorter retention are found by their name. So a sweep does not read instances with a long
// retention again and again, except those that ran for a long time.
func (k *Kept) lists(now time.Time) []list {
	longest := k.Default
	for name := range k.Named {
		longest = max(longest, k.of(name))
	}
	before := func(keep time.Duration) time.Time {
		// The time is in whole milliseconds because it goes into a work item. One millisecond is
		// added because a list ends before its time.
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
