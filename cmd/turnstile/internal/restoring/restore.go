package restoring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

const (
	// look is the time between two polls of a long operation.
	look = 10 * time.Second
	// tell is the time between two lines about a wait if there is no terminal.
	tell = 10 * time.Minute
	// over is the time after a pause by which all earlier invocations have ended, because an
	// invocation runs for at most 15 minutes. No process keeps an instance in memory for as long.
	over = 16 * time.Minute
	// emptying is the time that SQS takes to empty a queue.
	emptying = time.Minute
	// patience is the time limit for a change of DynamoDB other than a restore.
	patience = time.Hour
)

// Restore restores the tables to an earlier time. It can be interrupted at any point: Run finds the
// completed steps from the state of the stack and runs the rest.
type Restore struct {
	Cloud Cloud
	Stack pausing.Stack
	// To is the time to restore to, in whole seconds.
	To time.Time
	// Wake wakes all instances that have not ended.
	Wake func(ctx context.Context) error
	// Notes receives the progress.
	Notes *term.Screen
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// copied returns the name of the temporary table into which a table is restored first, because a
// restore cannot overwrite an existing table.
func (r *Restore) copied(table string) string {
	return table + "-restored-" + r.To.UTC().Format("20060102T150405Z")
}

// backup returns the name of the temporary table's backup, from which the original table is recreated.
func (r *Restore) backup() string {
	return "turnstile-restore-" + r.To.UTC().Format("20060102T150405Z")
}

// Run restores the tables, or continues an interrupted restore. Call [Restore.Check] first.
func (r *Restore) Run(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	if s.Done {
		r.say("the tables are already restored to %s: nothing to do", r.To.UTC().Format(time.RFC3339))
		return nil
	}
	for _, step := range []func(context.Context) error{r.pause, r.copy, r.empty, r.keep, r.swap, r.settings, r.unpause, r.wake, r.cleanUp} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *Restore) say(format string, args ...any) { fmt.Fprintf(r.Notes, format+"\n", args...) }

// pause turns the event sources off, unless all tables are restored: then Run may have turned them on
// again.
func (r *Restore) pause(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil || s.Swapped {
		return err
	}
	p := pausing.Pausing{Stack: r.Stack, Sources: s.sources, Notes: r.Notes, Sleep: r.Sleep, Now: r.Now}
	return p.Pause(ctx, 0)
}

// copy restores each table into a temporary table.
func (r *Restore) copy(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.swapped(r) || t.backup.ARN != "" || t.aside.Status != "" {
			continue
		}
		if err := r.Cloud.RestoreTo(ctx, t.Name, r.copied(t.Name), r.To); err != nil {
			return err
		}
		r.say("restoring %s to %s", t.Name, r.copied(t.Name))
	}
	return r.until(ctx, 0, "DynamoDB restores the tables, which takes from 10 minutes to some hours", func() (bool, error) {
		s, err := r.State(ctx)
		ready := true
		for i := range s.tables {
			t := &s.tables[i]
			ready = ready && (t.swapped(r) || t.backup.ARN != "" || t.aside.Status == Active)
		}
		return ready, err
	})
}

// empty deletes the messages of the lost history from the queues, after all invocations that may send
// such messages have ended. Messages that are sent later are kept.
func (r *Restore) empty(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil || s.Kept {
		return err
	}
	if err := r.stillPaused(&s); err != nil {
		return err
	}
	ends := s.PausedAt.Add(over)
	if err := r.until(ctx, 0, fmt.Sprintf("invocations from before the pause may run until %s, and may send messages", ends.UTC().Format("15:04 UTC")), func() (bool, error) {
		return !r.Now().Before(ends), nil
	}); err != nil {
		return err
	}
	if s, err = r.State(ctx); err != nil {
		return err
	}
	if err := r.stillPaused(&s); err != nil {
		return err
	}
	for _, q := range r.Cloud.Queues() {
		if err := r.Cloud.Empty(ctx, q); err != nil {
			return err
		}
		r.say("emptied: %s", q)
	}
	r.say("waiting: SQS takes a minute to empty the queues")
	if !r.Sleep(ctx, emptying) {
		return ctx.Err()
	}
	return nil
}

// stillPaused returns an error if the stack is not paused. Steps that delete something call it first.
func (r *Restore) stillPaused(s *State) error {
	if !s.Paused {
		return errors.New("an event source was turned on during the restore: run the command again, which pauses the stack and waits again")
	}
	return nil
}

// keep creates a backup of each copy, because only a backup can be restored under the name of another table.
func (r *Restore) keep(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.swapped(r) || t.backup.ARN != "" {
			continue
		}
		if err := r.Cloud.CreateBackup(ctx, r.copied(t.Name), r.backup()); err != nil {
			return err
		}
		r.say("backup of %s", r.copied(t.Name))
	}
	return r.until(ctx, patience, "DynamoDB makes the backups, which takes minutes", func() (bool, error) {
		s, err := r.State(ctx)
		return err == nil && s.ready(r), err
	})
}

// swap deletes each table, and restores it under its name from the backup.
func (r *Restore) swap(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	if s.Swapped {
		return r.usable(ctx)
	}
	if err := r.stillPaused(&s); err != nil {
		return err
	}
	if !s.ready(r) {
		return errors.New("the backups of the restored tables are not complete: nothing was deleted")
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.swapped(r) || t.now.Status == "" {
			continue
		}
		if err := r.delete(ctx, t); err != nil {
			return err
		}
		r.say("deleted: %s; DynamoDB keeps a backup of it for 35 days", t.Name)
	}
	if err := r.until(ctx, patience, "DynamoDB deletes the tables, which takes minutes", func() (bool, error) {
		s, err := r.State(ctx)
		gone := err == nil
		for i := range s.tables {
			t := &s.tables[i]
			gone = gone && (t.swapped(r) || t.now.Status == "")
		}
		return gone, err
	}); err != nil {
		return err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.swapped(r) {
			continue
		}
		if err := r.Cloud.RestoreFrom(ctx, t.backup.ARN, t.Name); err != nil {
			return err
		}
		r.say("restoring %s from the backup", t.Name)
	}
	return r.usable(ctx)
}

// delete deletes a table that may be protected, or is being deleted.
func (r *Restore) delete(ctx context.Context, t *tableState) error {
	if t.now.Protected {
		if err := r.Cloud.Protect(ctx, t.Name, false); err != nil {
			return err
		}
	}
	return r.until(ctx, patience, "DynamoDB turns off the deletion protection of "+t.Name, func() (bool, error) {
		now, err := r.Cloud.Table(ctx, t.Name)
		if err != nil || now.Status != Active || now.Protected {
			return now.Status == "DELETING" || err == nil && now.Status == "", err
		}
		return true, r.Cloud.Delete(ctx, t.Name)
	})
}

// usable waits until the restored tables are active.
func (r *Restore) usable(ctx context.Context) error {
	return r.until(ctx, 0, "DynamoDB restores the tables under their names, which takes from 10 minutes to some hours", func() (bool, error) {
		s, err := r.State(ctx)
		usable := err == nil && s.Swapped
		for i := range s.tables {
			usable = usable && s.tables[i].now.Status == Active
		}
		return usable, err
	})
}

// settings sets the table settings that a restore does not copy.
func (r *Restore) settings(ctx context.Context) error {
	for _, t := range r.Cloud.Tables() {
		if err := r.until(ctx, patience, "DynamoDB prepares "+t.Name+" for point-in-time recovery", func() (bool, error) { return r.Cloud.Recoverable(ctx, t.Name) }); err != nil {
			return err
		}
		if t.TTL != "" {
			if err := r.until(ctx, patience, "DynamoDB prepares the time to live of "+t.Name, func() (bool, error) { return r.Cloud.Expires(ctx, t.Name, t.TTL) }); err != nil {
				return err
			}
		}
		now, err := r.Cloud.Table(ctx, t.Name)
		if err != nil {
			return err
		}
		if !now.Protected {
			if err := r.Cloud.Protect(ctx, t.Name, true); err != nil {
				return err
			}
		}
		r.say("settings: %s has deletion protection and point-in-time recovery", t.Name)
	}
	return nil
}

func (r *Restore) unpause(ctx context.Context) error {
	sources, err := r.Stack.Sources(ctx)
	if err != nil {
		return err
	}
	p := pausing.Pausing{Stack: r.Stack, Sources: sources, Notes: r.Notes, Sleep: r.Sleep, Now: r.Now}
	return p.Unpause(ctx)
}

func (r *Restore) wake(ctx context.Context) error { return r.Wake(ctx) }

// cleanUp deletes the copies and their backups.
func (r *Restore) cleanUp(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if t.aside.Status == Active {
			if err := r.Cloud.Delete(ctx, r.copied(t.Name)); err != nil {
				return err
			}
			r.say("deleted: %s", r.copied(t.Name))
		}
		if t.backup.ARN != "" {
			if err := r.Cloud.DeleteBackup(ctx, t.backup.ARN); err != nil {
				return err
			}
		}
	}
	return r.until(ctx, patience, "DynamoDB deletes the copies", func() (bool, error) {
		s, err := r.State(ctx)
		return err == nil && s.Done, err
	})
}

// until waits until a condition holds, for at most a time limit; 0 for none. It prints why it waits, and
// regularly that it still waits.
func (r *Restore) until(ctx context.Context, longest time.Duration, why string, is func() (bool, error)) error {
	bar := term.NewProgress(r.Notes, r.Now)
	defer bar.End()
	startedAt := r.Now()
	for told := time.Duration(-1); ; {
		yes, err := is()
		if err != nil || yes {
			return err
		}
		passed := r.Now().Sub(startedAt).Round(time.Second)
		switch {
		case longest > 0 && passed > longest:
			return fmt.Errorf("%s: not complete after %s", why, passed)
		case told < 0:
			r.say("waiting: %s", why)
			told = 0
		case r.Notes.Person:
			bar.Show(fmt.Sprintf("waiting for %s", passed))
		case passed-told >= tell:
			r.say("waiting for %s", passed)
			told = passed
		}
		if !r.Sleep(ctx, look) {
			return ctx.Err()
		}
	}
}
