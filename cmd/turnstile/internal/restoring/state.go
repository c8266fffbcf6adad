package restoring

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// tableState is the progress of a table's restore.
type tableState struct {
	Wanted
	// now is the table with the original name, aside the temporary copy, and backup the copy's
	// backup.
	now, aside Table
	backup     Backup
}

// swapped reports whether the table with the original name is the restored one.
func (s *tableState) swapped(r *Restore) bool { return s.now.From == r.copied(s.Name) }

// State is the progress of a restore.
type State struct {
	tables  []tableState
	sources []api.EventSource
	// Paused reports that no turn and no activity starts, and PausedAt since when.
	Paused   bool
	PausedAt time.Time
	// Copied reports that each table has its copy; Kept that each copy has its backup, so the
	// queues were emptied; Swapped that each table is the restored one; Done that nothing is left.
	Copied, Kept, Swapped, Done bool
}

// State returns the progress of the restore.
func (r *Restore) State(ctx context.Context) (s State, err error) {
	if s.sources, err = r.Stack.Sources(ctx); err != nil {
		return s, err
	}
	s.Paused = len(s.sources) > 0
	for _, source := range s.sources {
		s.Paused = s.Paused && source.State == pausing.Off
		switch {
		case source.ChangedAt.IsZero(): // It is not known.
			s.PausedAt = r.Now()
		case source.ChangedAt.After(s.PausedAt):
			s.PausedAt = source.ChangedAt
		}
	}
	s.Copied, s.Kept, s.Swapped, s.Done = true, true, true, true
	for _, wanted := range r.Cloud.Tables() {
		t := tableState{Wanted: wanted}
		if t.now, err = r.Cloud.Table(ctx, t.Name); err != nil {
			return s, err
		}
		if t.aside, err = r.Cloud.Table(ctx, r.copied(t.Name)); err != nil {
			return s, err
		}
		if t.backup, err = r.Cloud.Backup(ctx, r.copied(t.Name), r.backup()); err != nil {
			return s, err
		}
		swapped := t.swapped(r)
		s.Copied = s.Copied && (swapped || t.aside.Status != "")
		s.Kept = s.Kept && (swapped || t.backup.ARN != "")
		s.Swapped = s.Swapped && swapped
		s.Done = s.Done && swapped && t.now.Status == Active && t.aside.Status == "" && t.backup.ARN == ""
		s.tables = append(s.tables, t)
	}
	return s, nil
}

// Check returns an error if the tables cannot be restored to the time.
func (r *Restore) Check(ctx context.Context, s *State) error {
	for i := range s.tables {
		t := &s.tables[i]
		switch {
		case t.swapped(r) || t.backup.ARN != "" || t.aside.Status != "":
			continue
		case t.now.Status == "":
			return fmt.Errorf("table %s does not exist, and there is no copy of it for %s: pass the same --to as when the restore started", t.Name, r.To.UTC().Format(time.RFC3339))
		}
		from, to, err := r.Cloud.Window(ctx, t.Name)
		if err != nil {
			return err
		}
		if r.To.Before(from) || r.To.After(to) {
			return fmt.Errorf("table %s can be restored to a time from %s to %s, but not to %s", t.Name, from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339), r.To.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// ready reports whether each table that is not restored yet can be: its backup is complete.
func (s *State) ready(r *Restore) bool {
	for i := range s.tables {
		if t := &s.tables[i]; !t.swapped(r) && !t.backup.Ready {
			return false
		}
	}
	return true
}

// Plan returns the steps of Run, one line each.
func (r *Restore) Plan(s *State) []string {
	mark := func(done bool, text string) string {
		if done {
			return "done: " + text
		}
		return text
	}
	names := make([]string, len(s.tables))
	for i := range s.tables {
		names[i] = s.tables[i].Name
	}
	tables := strings.Join(names, ", ")
	return []string{
		mark(s.Swapped || s.Paused, "pause the stack: no turn and no activity starts"),
		mark(s.Copied, fmt.Sprintf("restore %s to %s, into temporary tables: 10 minutes to some hours", tables, r.To.UTC().Format(time.RFC3339))),
		mark(s.Kept, "wait until 16 minutes after the pause, when the last invocation has ended, and empty the queues: "+strings.Join(r.Cloud.Queues(), ", ")),
		mark(s.Kept, "create a backup of each temporary table: minutes"),
		mark(s.Swapped, "delete the three tables (DynamoDB keeps backups of them for 35 days) and restore the backups under their names: 10 minutes to some hours"),
		mark(s.Done, "turn on deletion protection, point-in-time recovery and the time to live of the tables"),
		mark(s.Done, "unpause the stack"),
		mark(s.Done, "wake all instances that have not ended"),
		mark(s.Done, "delete the temporary tables and backups"),
	}
}
