package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// count says how many instances there are of each status.
func (c *cli) count(ctx context.Context, cl instances, l *listing) error {
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
	t := term.NewTable("STATUS", "INSTANCES")
	all, open := 0, false
	for _, status := range allStatuses() {
		n, counted := counts[status]
		if !counted && l.status != "" {
			continue
		}
		all, open = all+n, open || more[status]
		t.Row(statusCell(status), term.Text(countText(n, more[status])))
	}
	if l.status == "" {
		t.Row(term.Styled(term.Bold, "all"), term.Text(countText(all, open)))
	}
	t.Print(c.screen(c.out))
	return nil
}

// countText is a number, "or more" as a plus.
func countText(n int, more bool) string {
	if more {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}

// watchList shows the first page again and again.
func (c *cli) watchList(ctx context.Context, cl instances, l *listing) error {
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
			c.repaint(screen, &page, l)
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

// repaint clears the terminal and shows the page.
func (c *cli) repaint(screen *term.Screen, page *client.ListPage, l *listing) {
	var b strings.Builder
	frame := *screen
	frame.Writer = &b
	fmt.Fprintf(&b, "%s\n\n", term.Clip(fmt.Sprintf("%s  turnstile list%s  every %s, Ctrl-C ends it", c.now().UTC().Format("15:04:05"), l.words(), l.every), screen.Columns()))
	t := instanceTable()
	for i := range page.Instances {
		c.instanceRow(t, &page.Instances[i])
	}
	if t.Len() > 0 {
		t.Print(&frame)
	} else {
		fmt.Fprintln(&b, "no instances")
	}
	if page.NextPageToken != "" {
		fmt.Fprintf(&b, "and more: raise --limit\n")
	}
	// In one piece, from the upper left corner, without what stood there.
	fmt.Fprint(screen, "\x1b[H\x1b[2J"+b.String())
}

// changedOnly prints the instances that are new or have changed since the look
// before: as text a row, as JSON an instance a line.
func (c *cli) changedOnly(screen *term.Screen, page *client.ListPage, seen map[string]string) error {
	t := instanceTable()
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
		c.instanceRow(t, d)
	}
	t.Print(screen)
	return nil
}

// sleep waits, and reports whether the time has passed: false if the command was
// interrupted.
func (c *cli) sleep(ctx context.Context, d time.Duration) bool {
	if c.pause != nil {
		return c.pause(ctx, d)
	}
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wait.C:
		return true
	}
}
