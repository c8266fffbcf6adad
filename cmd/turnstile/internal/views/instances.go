package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Instances is a table of instances.
type Instances struct {
	rows *term.Table
	now  func() time.Time
}

// NewInstances returns a table without instances.
func NewInstances(now func() time.Time) *Instances {
	return &Instances{term.NewTable("INSTANCE", "ORCHESTRATION", "STATUS", "STARTED (UTC)", "DURATION", "REASON").Cut(5, 1), now}
}

// Row adds an instance.
func (t *Instances) Row(d *client.Description) {
	name := printable.Line(d.Name)
	if d.Version != "" {
		name += " " + printable.Line(d.Version)
	}
	t.rows.Row(term.Text(printable.Line(d.Instance)), term.Text(name), statusCell(d.Status),
		term.Cell{Text: t.shortMoment(d.CreatedAt), Whole: d.CreatedAt.UTC().Format(time.RFC3339Nano)},
		term.Cell{Text: t.took(d), Whole: t.duration(d).String()}, term.Text(why(d)))
}

// Len returns the number of instances.
func (t *Instances) Len() int { return t.rows.Len() }

// Print writes the table.
func (t *Instances) Print(screen *term.Screen) { t.rows.Print(screen) }

// took returns how long an instance ran, or has been running.
func (t *Instances) took(d *client.Description) string {
	if d.EndedAt.IsZero() {
		return plain.Span(t.duration(d)) + "…"
	}
	return plain.Span(t.duration(d))
}

// duration returns how long an instance ran, or has been running.
func (t *Instances) duration(d *client.Description) time.Duration {
	end := d.EndedAt
	if end.IsZero() {
		end = t.now()
	}
	return max(end.Sub(d.CreatedAt), 0).Round(time.Millisecond)
}

// shortMoment formats a time for a column, to the second, and without the day if that is today.
func (t *Instances) shortMoment(of time.Time) string {
	of, now := of.UTC(), t.now().UTC()
	if of.YearDay() == now.YearDay() && of.Year() == now.Year() {
		return of.Format("15:04:05")
	}
	return of.Format("2006-01-02 15:04")
}

// Repaint clears the terminal and shows a page of instances under a title.
func Repaint(screen *term.Screen, title string, page *client.ListPage, now func() time.Time) {
	var b strings.Builder
	frame := *screen
	frame.Writer = &b
	fmt.Fprintf(&b, "%s\n\n", printable.Clip(title, screen.Columns()))
	t := NewInstances(now)
	for i := range page.Instances {
		t.Row(&page.Instances[i])
	}
	if t.Len() > 0 {
		t.Print(&frame)
	} else {
		fmt.Fprintln(&b, "no instances")
	}
	if page.NextPageToken != "" {
		fmt.Fprintf(&b, "there are more; raise --limit\n")
	}
	// Write it in one piece from the upper left corner, after clearing the screen.
	fmt.Fprint(screen, "\x1b[H\x1b[2J"+b.String())
}
