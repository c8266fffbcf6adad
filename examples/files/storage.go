package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile"
)

// storage is used by the activities; a real one has a client of S3. This one is simulated, and
// prints its calls.
type storage struct {
	files []string
	say   func(format string, args ...any)
}

func (s storage) activities() turnstile.Components {
	return turnstile.Components{List.Implement(s.list), Convert.Implement(s.convert), Remove.Implement(s.remove), Publish.Implement(s.publish)}
}

func (s storage) list(_ context.Context, folder string) ([]string, error) {
	s.say("%s has %d files", folder, len(s.files))
	return s.files, nil
}

// parts is the number of parts in which a file is read.
const parts = 3

// convert reads a file part by part. An attempt continues where the previous attempt stopped.
func (s storage) convert(ctx context.Context, f File) (Table, error) {
	done, _, err := turnstile.LastHeartbeat[int](ctx)
	if err != nil {
		return Table{}, err
	}
	for part := done; part < parts; part++ {
		if strings.Contains(f.Name, "broken") {
			s.say("%s can't be read", f.Name)
			return Table{}, turnstile.NonRetryable(turnstile.WithCode(errors.New(f.Name+" is no CSV"), "unreadable"))
		}
		// Heartbeat returns an error when the orchestration no longer needs the table.
		if err := turnstile.Heartbeat(ctx, part+1); err != nil {
			return Table{}, err
		}
	}
	s.say("%s is converted", f.Name)
	return Table{Name: strings.TrimSuffix(f.Name, ".csv"), Rows: 100 * len(f.Name)}, nil
}

// remove succeeds if there is nothing to remove.
func (s storage) remove(_ context.Context, f File) (turnstile.None, error) {
	s.say("the table of %s is removed", f.Name)
	return turnstile.None{}, nil
}

func (s storage) publish(_ context.Context, r Report) (turnstile.None, error) {
	if len(r.Tables) == 0 {
		return turnstile.None{}, turnstile.NonRetryable(fmt.Errorf("%s has no tables", r.Folder))
	}
	s.say("%d tables are published, %d files were skipped", len(r.Tables), len(r.Skipped))
	return turnstile.None{}, nil
}
