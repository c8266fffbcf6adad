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

// mostPruned is the maximum number of executions that are read for one request. An instance that
// has thousands of executions when its limit is first lowered is pruned step by step.
const mostPruned = 100

// endedFor is how long an execution is kept after its end: a day longer than the age at which a
// message is no longer applied (wire.MaxAge). By then nothing of the execution needs to be sent
// again, and none of its writers can still be stalled.
const endedFor = wire.MaxAge + 24*time.Hour

// mayPrune reports whether an instance has executions up to upTo that it need not keep. A corrupt
// instance keeps all its executions because an operator may restore it.
func (k *Keeper) mayPrune(r *store.Record, upTo int64) bool {
	if r.Purged || r.Problem != nil && r.Problem.Kind == store.ProblemCorrupt {
		return false
	}
	keep := k.Keeps(r.Name)
	return keep > 0 && r.FirstExecution <= upTo && upTo <= r.ExecutionID-keep
}

// prune first updates the record with the first execution that is kept, and then deletes the
// earlier ones. So a reader that does not find a history sees in the record that the history was
// pruned, not lost. If the deletion is lost, the executions stay in the table, where nothing reads
// them, until the next prune or the purge, because each deletion begins with the oldest execution
// that exists.
func (k *Keeper) prune(ctx context.Context, m *inbox.Message, r *store.Record) error {
	item, now := m.Item, k.Clock.Now()
	first, before := k.prunable(ctx, r, item.UpToExecution, now.Add(-max(endedFor, k.Settings.Purge.Grace))), max(r.FirstExecution, 1)
	switch {
	case first > before:
		k.Logger.InfoContext(ctx, "pruning executions", "instance", r.Instance, "from", before, "to", first-1)
		change := r.Prune(first, now)
		if err := k.Store.UpdateRecord(ctx, r.Instance, change); err != nil {
			return fmt.Errorf("host: could not prune executions of instance %q: %w", r.Instance, err)
		}
	case !m.Returning() || first == 1:
		k.Settle(m, "prune_spared")
		return nil
	}
	// A redelivered message may have changed the record and deleted nothing.
	item.UpToExecution, item.NotBeforeMS = first-1, now.UnixMilli()
	return k.deleteHistories(ctx, m, item, false)
}

// prunable reads the executions of an instance, from the first that is kept up to upTo in order,
// and archives them. It returns the first execution that has to stay, because it ended after the
// given time, because a child that it started is still running, or because the archive does not
// accept it.
//
// The end time of a lost or damaged execution is unknown, but the execution ended before the next
// one ended, so it is pruned with the next one. With an archive, a damaged execution stays, because
// the archive cannot take it. A lost execution has nothing to keep. Executions that were already
// pruned also look lost if an older build has restarted the instance in the meantime and has set
// the first execution back to the value that it had read.
func (k *Keeper) prunable(ctx context.Context, r *store.Record, upTo int64, ended time.Time) (first int64) {
	first = max(r.FirstExecution, 1)
	looked, given := 0, 0
	for n := range store.Executions(first, upTo, r.Skipped) {
		if looked >= mostPruned {
			break
		}
		turns, err := k.ended(ctx, r.Instance, n)
		bad, isBad := errors.AsType[*unusable](err)
		if !isBad || !bad.lost {
			looked++ // A lost execution costs almost nothing.
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
		if err == nil && k.Archive != nil {
			if err = k.give(ctx, documentOf(turns)); err == nil {
				given++
			} else {
				k.Observer.Count(host.CountArchive, "failed", 1)
			}
		}
		if err != nil {
			if isBad {
				k.Observer.Count(host.CountArchive, "failed", 1)
			}
			k.Logger.WarnContext(ctx, "could not prune an execution; a later request to prune tries again", "instance", r.Instance, "execution_id", n, "error", err)
			break
		}
		if passed := n - first; passed > 0 {
			k.Logger.WarnContext(ctx, "executions are lost or damaged; they are pruned together with the next intact one", "instance", r.Instance, "from", first, "to", n-1)
		}
		first = n + 1
	}
	if given > 0 {
		k.Observer.Count(host.CountArchive, "kept", given)
	}
	return first
}

// spared reports whether an execution may still be needed. A message may need it until the age at
// which no message is applied any more. A running child needs it, because a purge of the child's
// parent finds the child in this history.
func (k *Keeper) spared(ctx context.Context, turns []store.Turn, ended time.Time) (bool, error) {
	last := turns[len(turns)-1].Events
	if time.UnixMilli(last[len(last)-1].AtMS).After(ended) {
		return true, nil
	}
	for _, child := range openChildren(turns) {
		if !clock.HasTime(ctx, k.Clock, k.Settings.Dispatch.MinRemaining) {
			return false, errors.New("host: the invocation has no time left to check all children of the execution")
		}
		c, err := k.Store.Describe(ctx, child)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return false, fmt.Errorf("host: could not read child %q: %w", child, err)
		case !c.Purged && !c.Status.Terminal() && c.Parent != nil && c.Parent.Instance == turns[0].Instance && c.Parent.ExecutionID == turns[0].ExecutionID:
			return true, nil
		}
	}
	return false, nil
}

// openChildren returns the instances that an execution has started and whose ends it has not
// received.
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
