package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/store"
)

// archivedTogether is how many instances are archived side by side. The history of each
// is in memory meanwhile.
const archivedTogether = 4

// archive gives the histories of instances that are due to the archive, and returns those
// that it has taken. All others stay, and the next sweep finds them again.
func (s *Sweeper) archive(ctx context.Context, due []*store.Record) []*store.Record {
	if s.Archive == nil {
		return due
	}
	errs := make([]error, len(due))
	sharing.SideBySide(ctx, min(archivedTogether, s.Settings.Dispatch.Parallelism), len(due), s.Together, func(i int) {
		errs[i] = s.keep(ctx, due[i])
	})
	var taken []*store.Record
	for i, err := range errs {
		if err == nil {
			taken = append(taken, due[i])
			continue
		}
		s.Logger.WarnContext(ctx, "instance not archived, so it is not purged; the next sweep tries again", "instance", due[i].Instance, "error", err)
	}
	if n := len(taken); n > 0 {
		s.Observer.Count(host.CountArchive, "kept", n)
	}
	if n := len(due) - len(taken); n > 0 {
		s.Observer.Count(host.CountArchive, "failed", n)
		if s.SweepAt != nil {
			s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), true)
		}
	}
	return taken
}

// keep archives each execution of an instance. Those that were pruned may stand in the record
// again (Keeper.prunable): nothing is there before the first that is found.
func (s *Sweeper) keep(ctx context.Context, r *store.Record) error {
	found := false
	for n := max(r.FirstExecution, 1); n <= r.ExecutionID; n++ {
		turns, err := s.ended(ctx, r.Instance, n)
		if bad, ok := errors.AsType[*unusable](err); ok && bad.lost && !found && n < r.ExecutionID {
			continue
		}
		found = true
		if err == nil {
			err = s.give(ctx, turns)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unusable is an execution whose history is not there, or is damaged.
type unusable struct {
	instance string
	n        int64
	// lost: nothing of it is there.
	lost bool
	err  error
}

func (u *unusable) Error() string {
	return fmt.Sprintf("host: execution %d of instance %q cannot be read; purge the instance by hand when it has ended: %v", u.n, u.instance, u.err)
}

func (u *unusable) Unwrap() error { return u.err }

// Keeper deletes histories that are no longer kept, and gives them to the archive before.
type Keeper struct {
	*inbox.Desk
	Store store.Store
	// Archive takes what is to be purged or pruned; nil for none.
	Archive store.Archive
	// Keeps is how many executions an instance of an orchestration keeps; 0 for all.
	Keeps func(orchestration string) int64
}

// ended reads an execution that has ended. It returns an [*unusable] for one that cannot be
// used, now or later.
func (k *Keeper) ended(ctx context.Context, instance string, n int64) ([]store.Turn, error) {
	if !clock.HasTime(ctx, k.Clock, k.Settings.Dispatch.Time) {
		return nil, fmt.Errorf("host: execution %d of instance %q not read: the invocation has no time left", n, instance)
	}
	turns, err := k.Store.Read(ctx, instance, n, 1)
	if _, damaged := errors.AsType[*store.CorruptError](err); damaged {
		return nil, &unusable{instance: instance, n: n, err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("host: execution %d of instance %q not read: %w", n, instance, err)
	}
	if len(turns) == 0 {
		return nil, &unusable{instance: instance, n: n, lost: true, err: errors.New("it has no history")}
	}
	if last := turns[len(turns)-1].Events; !last[len(last)-1].Kind.Terminal() {
		return nil, &unusable{instance: instance, n: n, err: errors.New("its history has no end: a part is missing")}
	}
	return turns, nil
}

// give gives an execution to the archive, if there is one.
func (k *Keeper) give(ctx context.Context, turns []store.Turn) error {
	if k.Archive == nil {
		return nil
	}
	instance, n := turns[0].Instance, turns[0].ExecutionID
	if err := k.Archive.Keep(ctx, instance, n, history.EncodeExport(exports.New(instance, n, turns))); err != nil {
		return fmt.Errorf("host: execution %d of instance %q not archived: %w", n, instance, err)
	}
	return nil
}
