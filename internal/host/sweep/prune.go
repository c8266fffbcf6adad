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
	"github.com/turnstile-go/turnstile/store"
)

// mostPruned is how many executions are looked at for one request: an instance that has
// thousands when it is first told to keep few gets rid of them little by little.
const mostPruned = 100

// Prunable looks at the executions of an instance from the first that is kept up to
// another, in their order, and gives them to the archive. It returns the first that has to
// stay: it ended after the time that is given, has started a child that runs, or the
// archive does not take it.
//
// An execution that is lost or damaged does not say when it ended, but it ended before the
// one after it: it goes when that one goes. One that is damaged stays where there is an
// archive, which cannot take it. One of which nothing is there has nothing to be kept. So it
// is with those that were pruned already, if an older build has begun the instance again
// meanwhile and has set the first execution back to what it had read.
func (k *Keeper) Prunable(ctx context.Context, r *store.Record, upTo int64, ended time.Time) (first int64) {
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
