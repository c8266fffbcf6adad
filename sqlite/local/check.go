package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Limits of the check.
const (
	mostChecked = 1000
	// longest is how long the code of one instance may take. All of them together may take twice as
	// long.
	longest = 5 * time.Second
)

// findings are the results of a check of the running instances.
type findings struct {
	running int
	// stuck counts stuck instances. They are not checked, because a new process tries each of them.
	stuck int
	// suspended instances are not checked: their code runs when they are resumed.
	suspended int
	// misfits are running instances whose history disagrees with the code, and damaged those whose
	// history is not valid. The program wakes both, so that they report the problem. unchecked
	// counts instances that were not checked: there were too many, they took too long or have
	// events of a newer build.
	misfits, damaged []string
	unchecked        int
}

// check replays the running instances with the code of this process. It changes nothing. Without it, a
// history that disagrees with the code would not be noticed before the next message, which may be weeks
// away.
func check(ctx context.Context, app *turnstile.App, c *client.Client) (findings, error) {
	var found findings
	err := each(ctx, c, client.StatusStuck, func(d *client.Description) error {
		found.stuck++
		return nil
	})
	if err == nil {
		count := func(*client.Description) error { found.suspended++; return nil }
		if err = each(ctx, c, client.StatusSuspended, count); err == nil {
			err = errors.Join(each(ctx, c, client.StatusScheduled, count), each(ctx, c, client.StatusQueued, count))
		}
	}
	if err != nil {
		return found, err
	}
	startedAt := time.Now()
	return found, each(ctx, c, client.StatusRunning, func(d *client.Description) error {
		found.running++
		if found.running > mostChecked || time.Since(startedAt) > 2*longest {
			found.unchecked++
			return nil
		}
		events, err := c.History(ctx, d.Instance, d.ExecutionID)
		_, damaged := errors.AsType[*store.CorruptError](err)
		switch {
		case errors.Is(err, history.ErrNewer):
			found.unchecked++
		case damaged:
			found.damaged = append(found.damaged, d.Instance)
		case err != nil:
			return err
		case !follows(app, d, events):
			found.misfits = append(found.misfits, d.Instance)
		}
		return nil
	})
}

// each calls f with every instance of a status.
func each(ctx context.Context, c *client.Client, status client.Status, f func(*client.Description) error) error {
	q := client.ListQuery{Status: status, PageSize: 1000}
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Instances {
			if err := f(&page.Instances[i]); err != nil {
				return err
			}
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return nil
		}
	}
}

// follows reports whether the code agrees with a history. Code that blocks does not, and its goroutine
// is abandoned.
func follows(app *turnstile.App, d *client.Description, events []history.Event) bool {
	for i := range events {
		if events[i].Codec != "" {
			return true // It is encrypted, and this process has no key.
		}
	}
	result := make(chan bool, 1)
	go func() {
		x := engine.New(engine.Config{Instance: d.Instance, ExecutionID: d.ExecutionID, Registry: app.Orchestrations()})
		defer x.Close()
		if err := x.Feed(events, false); err != nil {
			// The host reports damage.
			_, nondeterminism := errors.AsType[*engine.NondeterminismError](err)
			result <- !nondeterminism
			return
		}
		turn, err := x.Run(engine.Input{NowMS: time.Now().UnixMilli()})
		result <- err == nil && turn.Stuck == nil
	}()
	select {
	case fits := <-result:
		return fits
	case <-time.After(longest):
		return false
	}
}

// String returns the findings in one line, or a few.
func (f findings) String() string {
	if f.running+f.stuck+f.suspended == 0 {
		return "none yet"
	}
	var parts []string
	if f.running > 0 {
		parts = append(parts, fmt.Sprintf("%d running", f.running))
	}
	if f.stuck > 0 {
		parts = append(parts, fmt.Sprintf("%d stuck, tried again now", f.stuck))
	}
	if f.suspended > 0 {
		parts = append(parts, fmt.Sprintf("%d suspended or scheduled", f.suspended))
	}
	if f.unchecked > 0 {
		parts = append(parts, fmt.Sprintf("%d not checked against the code", f.unchecked))
	}
	if len(f.damaged) > 0 {
		parts = append(parts, "the history of "+some(f.damaged)+" is damaged")
	}
	switch {
	case len(f.misfits) > 0:
		parts = append(parts, "the code no longer agrees with the history of "+some(f.misfits))
	case f.running > f.unchecked+len(f.damaged):
		parts = append(parts, "the code agrees with their histories")
	}
	return strings.Join(parts, "; ")
}

// some lists a few instances.
func some(instances []string) string {
	const most = 5
	n := len(instances)
	names := strings.Join(instances[:min(n, most)], ", ")
	if n > most {
		names += fmt.Sprintf(" and %d more", n-most)
	}
	return names
}
