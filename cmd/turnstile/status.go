package main

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// statusStyle is how a status is shown.
func statusStyle(s client.Status) term.Style {
	switch s {
	case client.StatusStuck, client.StatusCorrupt, client.StatusFailed:
		return term.Red
	case client.StatusCompleted:
		return term.Green
	case client.StatusRunning:
		return term.Cyan
	}
	return term.Yellow
}

func statusCell(s client.Status) term.Cell { return term.Styled(statusStyle(s), string(s)) }

// instanceTable is a table of instances.
func instanceTable() *term.Table {
	return term.NewTable("INSTANCE", "ORCHESTRATION", "STATUS", "STARTED (UTC)", "TOOK", "WHY")
}

// instanceRow adds an instance to their table.
func (c *cli) instanceRow(t *term.Table, d *client.Description) {
	name := printable.Line(d.Name)
	if d.Version != "" {
		name += " " + printable.Line(d.Version)
	}
	t.Row(term.Text(printable.Line(d.Instance)), term.Text(name), statusCell(d.Status),
		term.Cell{Text: c.shortMoment(d.CreatedAt), Whole: d.CreatedAt.UTC().Format(time.RFC3339Nano)},
		term.Cell{Text: c.took(d), Whole: c.duration(d).String()}, term.Text(why(d)))
}

// duration is how long an instance ran, or has been running.
func (c *cli) duration(d *client.Description) time.Duration {
	end := d.EndedAt
	if end.IsZero() {
		end = c.now()
	}
	return max(end.Sub(d.CreatedAt), 0).Round(time.Millisecond)
}

// shortMoment is a time for a column: without the day if that is today, and to the
// second.
func (c *cli) shortMoment(t time.Time) string {
	t, now := t.UTC(), c.now().UTC()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}
