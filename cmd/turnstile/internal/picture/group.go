package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// mostReported is how many rows of a group are listed one by one.
const mostReported = 5

// heights are the characters for the number of operations in a column of a group.
var heights = []rune("▁▂▃▄▅▆▇█")

// groupOf returns the group with which a row is drawn; nil for none.
func (d *drawing) groupOf(r *api.TimelineRow) *api.TimelineGroup {
	if d.All || r.Group == 0 {
		return nil
	}
	for i := range d.t.Groups {
		if g := &d.t.Groups[i]; g.ExecutionID == r.ExecutionID && g.EventID == r.Group {
			return g
		}
	}
	return nil
}

// groupLabel returns the text before a group's bar.
func groupLabel(g *api.TimelineGroup) string {
	if g.Kind == "call" {
		return fmt.Sprintf("%d %d calls", g.EventID, g.Rows)
	}
	name := cmp.Or(g.Name, string(g.Kind))
	if g.Label != "" {
		return fmt.Sprintf("%d %s, %d × %s", g.EventID, printable.Line(g.Label), g.Rows, printable.Line(name))
	}
	return fmt.Sprintf("%d %d × %s", g.EventID, g.Rows, printable.Line(name))
}

// group draws a group as one row with the number of operations in progress over time. Below it, it
// lists those that failed, and the slowest.
func (d *drawing) group(g *api.TimelineGroup) {
	d.grouped = true
	var rows []*api.TimelineRow
	for i := range d.t.Rows {
		if r := &d.t.Rows[i]; r.ExecutionID == g.ExecutionID && r.Group == g.EventID {
			rows = append(rows, r)
		}
	}
	style, took := term.Plain, ""
	if g.States["failed"] > 0 {
		style = term.Red
	}
	if g.Took.Of > 0 {
		took = "≤" + d.Span(time.Duration(g.Took.MaxMS)*time.Millisecond)
	}
	d.line(groupLabel(g), style, d.density(rows), took)
	if g.Kind == "call" {
		return
	}
	d.say(d.about(g))
	slices.SortStableFunc(rows, func(a, b *api.TimelineRow) int {
		if w := weight(a) - weight(b); w != 0 {
			return w
		}
		return int(d.lasted(b) - d.lasted(a))
	})
	for i, r := range rows {
		// Failed rows are listed; of the others only the slowest, if it is much slower.
		if i == mostReported || r.State != "failed" && (i > 0 || g.Took.Of == 0 || g.Took.MaxMS < 2*g.Took.MedianMS) {
			break
		}
		text := fmt.Sprintf("%d %s %s after %s", r.EventID, printable.Line(d.named(r)), printable.Line(r.Member), d.Span(d.lasted(r)))
		if r.State == "failed" && r.Failure != nil {
			text += ", " + failed(r.Failure.Kind) + ": " + printable.Line(r.Failure.Message)
		}
		d.say(text)
	}
	if n := g.States["failed"]; n > mostReported {
		d.say(fmt.Sprintf("and %d more that failed", n-mostReported))
	}
}

// about returns the states of a group's rows, and how long they took.
func (d *drawing) about(g *api.TimelineGroup) string {
	var parts []string
	for _, state := range []timeline.State{"failed", "open", "cancelled", "closed", "done"} {
		if n := g.States[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	text := strings.Join(parts, ", ")
	ms := func(n int64) string { return d.Span(time.Duration(n) * time.Millisecond) }
	if t := g.Took; t.Of > 0 {
		text += fmt.Sprintf("; duration %s to %s, median %s, p90 %s", ms(t.MinMS), ms(t.MaxMS), ms(t.MedianMS), ms(t.P90MS))
	}
	if g.By != "" {
		text += "; by " + printable.Line(g.By)
	}
	return text
}

func (d *drawing) say(text string) {
	fmt.Fprintf(d, "%s\n", d.In(term.Dim, printable.Clip("    "+text, d.label+d.bar+d.took+4)))
}

func weight(r *api.TimelineRow) int {
	switch r.State {
	case "failed":
		return 0
	case "open":
		return 1
	}
	return 2
}

func (d *drawing) lasted(r *api.TimelineRow) time.Duration {
	if r.EndedAt.IsZero() {
		return d.t.Now.Sub(r.ScheduledAt)
	}
	return r.EndedAt.Sub(r.ScheduledAt)
}

// density draws how many rows were in progress in each column.
func (d *drawing) density(rows []*api.TimelineRow) string {
	counts := make([]int, d.bar+1)
	for _, r := range rows {
		end := r.EndedAt
		if end.IsZero() {
			end = d.t.Now
		}
		first := min(int(d.scale.of(r.ScheduledAt)), d.bar-1)
		counts[first]++
		counts[max(min(int(d.scale.of(end)), d.bar), first+1)]--
	}
	most, n := 0, 0
	for i := range counts {
		n += counts[i]
		counts[i] = n
		most = max(most, n)
	}
	var out strings.Builder
	for _, n := range counts[:d.bar] {
		switch {
		case n == 0:
			out.WriteByte(' ')
		default:
			out.WriteString(d.In(term.Green, string(heights[(n*len(heights)-1)/most])))
		}
	}
	return out.String()
}
