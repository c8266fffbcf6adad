package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// mostPruned is how many executions are looked at for one request: an instance that has
// thousands when it is first told to keep few gets rid of them little by little.
const mostPruned = 100

// endedFor is how long an execution stays after its end: a day longer than any message is
// applied (wire.MaxAge). So nothing will have to be sent again from it, and no writer can be
// left that has stalled in it.
const endedFor = wire.MaxAge + 24*time.Hour

// mayPrune reports whether an instance has executions up to this one that it need not keep.
// A corrupt one keeps all its executions, because somebody may restore it.
func (k *Keeper) mayPrune(r *store.Record, upTo int64) bool {
	if r.Purged || r.Problem != nil && r.Problem.Kind == store.ProblemCorrupt {
		return false
	}
	keep := k.Keeps(r.Name)
	return keep > 0 && r.FirstExecution <= upTo && upTo <= r.ExecutionID-keep
}

// prune has the record say which execution is the first that is kept, before any deletion:
// whoever finds a history missing sees there that it was pruned, and is not lost. Then it
// deletes what came before. If that is lost, the executions stay in the table, where nobody
// looks for them, until the next prune or the purge: each deletion begins with the oldest
// that is there.
func (k *Keeper) prune(ctx context.Context, m *inbox.Message, r *store.Record) error {
	item, now := m.Item, k.Clock.Now()
	first, before := k.prunable(ctx, r, item.UpToExecution, now.Add(-max(endedFor, k.Settings.Purge.Grace))), max(r.FirstExecution, 1)
	switch {
	case first > before:
		k.Logger.InfoContext(ctx, "pruning executions", "instance", r.Instance, "from", before, "to", first-1)
		change := r.Prune(first, now)
		if err := k.Store.UpdateRecord(ctx, r.Instance, change); err != nil {
			return fmt.Errorf("host: executions of instance %q not pruned: %w", r.Instance, err)
		}
	case !m.Returning() || first == 1:
		k.Settle(m, "prune_spared")
		return nil
	}
	// One that comes back may have changed the record, and deleted nothing.
	item.UpToExecution, item.NotBeforeMS = first-1, now.UnixMilli()
	return k.deleteHistories(ctx, m, item, r)
}

// prunable looks at the executions of an instance from the first that is kept up to
// another, in their order, and gives them to the archive. It returns the first that has to
// stay: it ended after the time that is given, has started a child that runs, or the
// archive does not take it.
//
// An execution that is lost or damaged does not say when it ended, but it ended before the
// one after it: it goes when that one goes. One that is damaged stays where there is an
// archive, which cannot take it. One of which nothing is there has nothing to be kept. So it
// is with those that were pruned already, if an older build has begun the instance again
// meanwhile and has set the first execution back to what it had read.
func (k *Keeper) prunable(ctx context.Context, r *store.Record, upTo int64, ended time.Time) (first int64) {
	first = max(r.FirstExecution, 1)
	looked, given := 0, 0
	for n := first; n <= upTo && looked < mostPruned; n++ {
		turns, err := k.ended(ctx, r.Instance, n)
		bad, isBad := errors.AsType[*unusable](err)
		if !isBad || !bad.lost {
			looked++ // What is lost costs next to nothing.
		}
		if isBad && (bad.lost || k.Archive == nil) {
			continue
		}
		if err == nil {
			var stays bool
			if stays, err = k.spared(ctx, turns, ended); stays {
				break
			}
		}
		if err == nil {
			if err = k.give(ctx, turns); err == nil {
				given++
			} else {
				k.Observer.Count(host.CountArchive, "failed", 1)
			}
		}
		if err != nil {
			if isBad {
				k.Observer.Count(host.CountArchive, "failed", 1)
			}
			k.Logger.WarnContext(ctx, "execution not pruned; a later one tries again", "instance", r.Instance, "execution_id", n, "error", err)
			break
		}
		if passed := n - first; passed > 0 {
			k.Logger.WarnContext(ctx, "executions that are lost or damaged are pruned with the one after them", "instance", r.Instance, "from", first, "to", n-1)
		}
		first = n + 1
	}
	if given > 0 && k.Archive != nil {
		k.Observer.Count(host.CountArchive, "kept", given)
	}
	return first
}

// spared reports whether an execution may be needed still: by a message, up to the age at
// which none is applied any more, or by a child that it has started, whose purge with its
// parent looks for it there.
func (k *Keeper) spared(ctx context.Context, turns []store.Turn, ended time.Time) (bool, error) {
	last := turns[len(turns)-1].Events
	if time.UnixMilli(last[len(last)-1].AtMS).After(ended) {
		return true, nil
	}
	for _, child := range openChildren(turns) {
		if !clock.HasTime(ctx, k.Clock, k.Settings.Dispatch.Time) {
			return false, errors.New("host: no time to look at all children of the execution")
		}
		c, err := k.Store.Describe(ctx, child)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return false, fmt.Errorf("host: child %q not read: %w", child, err)
		case !c.Purged && !c.Status.Terminal() && c.Parent != nil && c.Parent.Instance == turns[0].Instance && c.Parent.ExecutionID == turns[0].ExecutionID:
			return true, nil
		}
	}
	return false, nil
}

// openChildren returns the instances that an execution has started, and whose ends it has
// not seen.
func openChildren(turns []store.Turn) (open []string) {
	var scheduled []*history.Event
	for t := range turns {
		for i := range turns[t].Events {
			switch e := &turns[t].Events[i]; e.Kind {
			case history.SubOrchestrationScheduled:
				scheduled = append(scheduled, e)
			case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
				scheduled = slices.DeleteFunc(scheduled, func(s *history.Event) bool { return s.EventID == e.SourceEventID })
			}
		}
	}
	for _, e := range scheduled {
		open = append(open, e.Instance)
	}
	return open
}
