package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// putTogether is the maximum number of documents that are put into the archive concurrently.
	// Documents are built one after the other, and are put earlier if they reach putBytes in total.
	// So memory holds at most one decoded history and less than putBytes of documents, however many
	// instances are due.
	putTogether = 4
	putBytes    = 8 << 20
	// skippedFor is how long sweeps skip an instance whose archiving has killed the process twice.
	skippedFor = 24 * time.Hour
)

// errNoTime stops a sweep because the invocation has no time left.
var errNoTime = errors.New("host: the invocation has no time left")

// archive puts the histories of due instances into the archive, and returns the instances that the
// archive has accepted. All others stay, and a later sweep finds them again. A non-nil error means
// that archive did not try the remaining instances, because the archive refuses everything or
// because of errNoTime.
func (s *Sweeper) archive(ctx context.Context, due []*store.Record, careful bool) ([]*store.Record, error) {
	if s.Archive == nil {
		return due, nil
	}
	a := archiving{by: s, errs: make([]error, len(due))}
	tried := 0
	for i, r := range due {
		if a.stopped != nil {
			break
		}
		if a.errs[i] = a.keep(ctx, i, r, careful); errors.Is(a.errs[i], errNoTime) {
			a.stopped = errNoTime
			break
		}
		tried++
	}
	a.put(ctx)
	var taken []*store.Record
	for i, err := range a.errs[:tried] {
		if err == nil {
			taken = append(taken, due[i])
			continue
		}
		s.Logger.WarnContext(ctx, "could not archive an instance, so it is not purged; a later sweep tries again", "instance", due[i].Instance, "error", err)
	}
	if n := len(taken); n > 0 {
		s.Observer.Count(host.CountArchive, "kept", n)
	}
	if n := tried - len(taken); n > 0 {
		s.Observer.Count(host.CountArchive, "failed", n)
		if s.SweepAt != nil {
			s.SweepAt(s.Clock.Now().Add(s.Settings.Turn.WakeFirst), true)
		}
	}
	return taken, a.stopped
}

// archiving is one call of archive, for a list of instances.
type archiving struct {
	by *Sweeper
	// errs are the errors of instances that were not archived, by index; stopped is the
	// reason why no more are tried.
	errs    []error
	stopped error
	// documents that wait to be put, and their size in bytes.
	documents []document
	bytes     int
}

// document is the document of one execution; of is the index of its instance.
type document struct {
	of        int
	instance  string
	execution int64
	text      []byte
}

// keep archives each execution of an instance. The record may list executions again that were
// pruned (Keeper.prunable), so missing executions before the first that exists are skipped.
//
// A careful sweep marks the instance before it reads a history, and removes the mark after the
// archive has everything. A sweep is careful if its message was redelivered, because the process
// may have died while it archived a history that needs more memory than the function has. A single
// remaining mark proves nothing, because processes also die for other reasons, so the next sweep
// marks the instance a second time. If the second mark remains, all sweeps skip the instance for a
// day.
func (a *archiving) keep(ctx context.Context, i int, r *store.Record, careful bool) error {
	at, twice := markedAt(r)
	marked := at.Add(skippedFor).After(a.by.Clock.Now())
	if marked && twice {
		return fmt.Errorf("host: archiving instance %q has ended the process twice, the last time at %s, so the instance is skipped for a day: give the orchestrator more memory, or purge the instance by hand", r.Instance, at.Format(time.RFC3339))
	}
	if !careful && !marked {
		return a.read(ctx, i, r)
	}
	unmark, err := a.mark(ctx, r, marked)
	if err != nil {
		return err
	}
	defer unmark()
	err = a.read(ctx, i, r)
	a.put(ctx)
	return cmp.Or(err, a.errs[i])
}

// read reads each execution of an instance, and puts the documents as soon as there are enough.
func (a *archiving) read(ctx context.Context, i int, r *store.Record) error {
	found := false
	for n := range r.Executions() {
		turns, err := a.by.ended(ctx, r.Instance, n)
		if bad, ok := errors.AsType[*unusable](err); ok && bad.lost && !found && n < r.ExecutionID {
			continue
		}
		found = true
		if err != nil {
			return err
		}
		d := documentOf(turns)
		d.of = i
		if a.documents, a.bytes = append(a.documents, d), a.bytes+len(d.text); len(a.documents) == putTogether || a.bytes >= putBytes {
			a.put(ctx)
		}
		if a.errs[i] != nil {
			return a.errs[i]
		}
	}
	return nil
}

// put puts the waiting documents into the archive.
func (a *archiving) put(ctx context.Context) {
	documents, results := a.documents, make([]error, len(a.documents))
	a.documents, a.bytes = nil, 0
	sharing.SideBySide(ctx, min(putTogether, a.by.Settings.Dispatch.Parallelism), len(documents), a.by.Together, func(i int) {
		results[i] = a.by.give(ctx, documents[i])
	})
	for i, err := range results {
		if err == nil {
			continue
		}
		a.errs[documents[i].of] = err
		if !errors.Is(err, errors.ErrUnsupported) {
			a.stopped = err
		}
	}
}

// archiveMark is the start of the mark of an instance that is being archived, in its record's
// Suspect field. It is followed by the execution, the time in Unix milliseconds and, in a second
// mark, secondMark.
const (
	archiveMark = "archive"
	secondMark  = "#2"
)

// mark marks an instance, for the first or the second time, and returns a function that removes the
// mark.
func (a *archiving) mark(ctx context.Context, r *store.Record, second bool) (unmark func(), err error) {
	mark, none := fmt.Sprintf("%s-%d-%d", archiveMark, r.ExecutionID, a.by.Clock.Now().UnixMilli()), ""
	if second {
		mark += secondMark
	}
	err = a.by.Store.UpdateRecord(ctx, r.Instance, store.RecordChange{
		If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Suspect: &r.Suspect}, Suspect: &mark, UpdatedAt: r.UpdatedAt})
	if err != nil {
		return nil, fmt.Errorf("host: could not mark instance %q before archiving it: %w", r.Instance, err)
	}
	return func() {
		err := a.by.Store.UpdateRecord(ctx, r.Instance, store.RecordChange{
			If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Suspect: &mark}, Suspect: &none, UpdatedAt: r.UpdatedAt})
		if err != nil {
			a.by.Logger.WarnContext(ctx, "could not remove the mark of an archived instance", "instance", r.Instance, "error", err)
		}
	}, nil
}

// markedAt returns when the instance was marked in its current execution (zero if it was not
// marked), and whether that was the second mark.
func markedAt(r *store.Record) (at time.Time, twice bool) {
	text, found := strings.CutPrefix(r.Suspect, fmt.Sprintf("%s-%d-", archiveMark, r.ExecutionID))
	text, twice = strings.CutSuffix(text, secondMark)
	if ms, err := strconv.ParseInt(text, 10, 64); found && err == nil {
		return time.UnixMilli(ms).UTC(), twice
	}
	return time.Time{}, false
}

// unusable is the error for an execution whose history is missing or damaged.
type unusable struct {
	instance string
	n        int64
	// lost is set if none of its history exists.
	lost bool
	err  error
}

func (u *unusable) Error() string {
	return fmt.Sprintf("host: execution %d of instance %q cannot be read; purge the instance by hand after it has ended: %v", u.n, u.instance, u.err)
}

func (u *unusable) Unwrap() error { return u.err }

// Keeper archives and deletes histories that are no longer kept.
type Keeper struct {
	*inbox.Settler
	Store store.Store
	// Archive receives histories before they are purged or pruned; nil for none.
	Archive store.Archive
	// Keeps returns the number of executions that an instance of an orchestration keeps; 0 for all.
	Keeps func(orchestration string) int64
}

// ended reads an execution that has ended. It returns an [*unusable] if the history can never be
// used.
func (k *Keeper) ended(ctx context.Context, instance string, n int64) ([]store.Turn, error) {
	if !clock.HasTime(ctx, k.Clock, k.Settings.Dispatch.MinRemaining) {
		return nil, fmt.Errorf("host: could not read execution %d of instance %q: %w", n, instance, errNoTime)
	}
	turns, err := k.Store.Read(ctx, instance, n, 1)
	if _, damaged := errors.AsType[*store.CorruptError](err); damaged {
		return nil, &unusable{instance: instance, n: n, err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("host: could not read execution %d of instance %q: %w", n, instance, err)
	}
	if len(turns) == 0 {
		return nil, &unusable{instance: instance, n: n, lost: true, err: errors.New("it has no history")}
	}
	if last := turns[len(turns)-1].Events; !last[len(last)-1].Kind.Terminal() {
		return nil, &unusable{instance: instance, n: n, err: errors.New("its history has no final event: a part is missing")}
	}
	return turns, nil
}

// documentOf returns the document of an execution.
func documentOf(turns []store.Turn) document {
	instance, n := turns[0].Instance, turns[0].ExecutionID
	return document{instance: instance, execution: n, text: history.EncodeExport(exports.New(instance, n, turns))}
}

// give puts a document into the archive.
func (k *Keeper) give(ctx context.Context, d document) error {
	if err := k.Archive.Keep(ctx, d.instance, d.execution, d.text); err != nil {
		return fmt.Errorf("host: could not archive execution %d of instance %q: %w", d.execution, d.instance, err)
	}
	return nil
}
