package main

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// count prints the number of instances of each status.
func (c *cli) count(ctx context.Context, cl backend.Instances, l *listing) error {
	counts, more, err := cl.CountByStatus(ctx, l.query, l.limit)
	if err != nil {
		return err
	}
	if c.json() {
		out := api.Counts{CountedAt: c.now().UTC().Truncate(time.Millisecond), Counts: map[string]api.Count{}}
		for status, n := range counts {
			out.Counts[string(status)] = api.Count{Count: n, More: more[status]}
		}
		return c.printJSON(out)
	}
	views.Counts(c.screen(c.out), allStatuses(), counts, more, l.status == "")
	return nil
}

// watchList refreshes the first page until the command is interrupted.
func (c *cli) watchList(ctx context.Context, cl backend.Instances, l *listing) error {
	screen := c.screen(c.out)
	seen := map[string]string{}
	for {
		page, err := cl.List(ctx, l.query)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case screen.Person && !c.json():
			views.Repaint(screen, fmt.Sprintf("%s  turnstile list%s  every %s, press Ctrl-C to stop", c.now().UTC().Format("15:04:05"), l.words(), l.every), &page, c.now)
		default:
			err = c.changedOnly(screen, &page, seen)
		}
		if err != nil {
			return err
		}
		if !c.sleep(ctx, l.every) {
			return nil
		}
	}
}

// changedOnly prints the instances that are new or changed since the previous read, one line
// each.
func (c *cli) changedOnly(screen *term.Screen, page *client.ListPage, seen map[string]string) error {
	t := views.NewInstances(c.now)
	for i := len(page.Instances) - 1; i >= 0; i-- {
		d := &page.Instances[i]
		state := fmt.Sprint(d.Status, d.UpdatedAt.UnixMilli(), d.ExecutionID, d.CreatedAt.UnixMilli())
		if seen[d.Instance] == state {
			continue
		}
		seen[d.Instance] = state
		if c.json() {
			if err := c.printLine(api.InstanceOf(d)); err != nil {
				return err
			}
			continue
		}
		t.Row(d)
	}
	t.Print(screen)
	return nil
}

// sleep waits for d. It reports false if the command was interrupted first.
func (c *cli) sleep(ctx context.Context, d time.Duration) bool {
	if c.pause != nil {
		return c.pause(ctx, d)
	}
	return clock.Sleep(ctx, clock.Wall{}, d) == nil
}
