package picture

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// Options configure the drawing.
type Options struct {
	// Linear draws time to scale, even if there are long waits.
	Linear bool
	// Rows is the maximum number of rows of each execution; 0 for all.
	Rows int
	// All draws each row of a group, instead of the group as one row.
	All bool
	// Calls shows calls that complete immediately: times, ids, side effects.
	Calls bool
	// Span formats a duration.
	Span func(time.Duration) string
}

// doing is the style of a part of a bar.
type doing struct {
	glyph rune
	style term.Style
}

// drawn maps the activity of an operation to the style of its part of the bar.
var drawn = map[timeline.Doing]doing{
	"waiting":  {'░', term.Blue},
	"running":  {'█', term.Green},
	"unknown":  {'▒', term.Green},
	"retrying": {'·', term.Yellow},
	"late":     {'▚', term.Yellow},
	"stopping": {'▞', term.Yellow},
}

// legend is their order in the legend.
var legend = []timeline.Doing{"waiting", "running", "unknown", "retrying", "late", "stopping"}

// explained are the texts of the legend.
var explained = map[timeline.Doing]string{
	"waiting": "waiting", "running": "running", "unknown": "waiting or running", "retrying": "waiting to retry", "late": "due", "stopping": "stopping",
}

// Draw draws a timeline for a person, in the width of the screen.
func Draw(s *term.Screen, t *api.Timeline, o Options) {
	width := s.Columns()
	if width == 0 {
		width = 100
	}
	d := drawing{Screen: s, t: t, Options: o, used: map[timeline.Doing]bool{}}
	d.layout(width)
	d.scale = newScale(t, d.bar, o.Linear)
	for i := range t.Executions {
		d.execution(&t.Executions[i])
	}
	d.foot()
}

// drawing is the state of a drawing in progress.
type drawing struct {
	*term.Screen
	Options
	t     *api.Timeline
	scale scale
	// label, bar and took are the widths of the columns.
	label, bar, took int
	// grouped is set if it contains groups.
	grouped bool
	// used are the parts of bars that it contains.
	used map[timeline.Doing]bool
}

const (
	widestLabel = 34
	leastBar    = 16
)

// layout determines the widths of the columns.
func (d *drawing) layout(width int) {
	d.took = 8
	for i := range d.t.Rows {
		text, r := d.title(&d.t.Rows[i]), &d.t.Rows[i]
		if g := d.groupOf(r); g != nil {
			text = groupLabel(g)
		}
		d.label = max(d.label, printable.Width(text)+2)
	}
	d.label = min(max(d.label, 12), widestLabel, width-leastBar-d.took-4)
	d.bar = max(width-d.label-d.took-4, leastBar)
}

// title returns the text before a row's bar: its label and its name.
func (d *drawing) title(r *api.TimelineRow) string {
	name := d.named(r)
	if r.Label != "" {
		name = r.Label + ", " + name
	}
	return fmt.Sprintf("%d %s", r.EventID, printable.Line(name))
}

// named returns the name of a row, without its label.
func (d *drawing) named(r *api.TimelineRow) string {
	name := r.Name
	switch r.Kind {
	case "timer":
		name = "timer"
		if !r.DueAt.IsZero() {
			name += " " + d.Span(r.DueAt.Sub(r.ScheduledAt))
		}
	case "wait":
		name = "event " + r.Name
	case "update":
		name = "update " + r.Name
	case "child":
		name = "child " + r.Name
	case "detached":
		name = "starts " + r.Name
	case "inline":
		name += " (inline)"
	case "call":
		name = r.Op
		if r.Name != "" {
			name += " " + r.Name
		}
	}
	return name
}

// failed describes how an execution failed. It omits the kind of an error that the code returned,
// because that adds nothing.
func failed(kind string) string {
	if kind == timeline.FailureRejected {
		return kind
	}
	if kind == "" || kind == "application" {
		return "failed"
	}
	return "failed: " + kind
}

// execution draws the band of an execution.
func (d *drawing) execution(x *api.TimelineExecution) {
	end, style := "running", term.Cyan
	switch {
	case x.Forced != "":
		end, style = x.Forced, term.Yellow
	case x.Failure != nil:
		end, style = failed(x.Failure.Kind), term.Red
	case x.End == "OrchestrationCompleted":
		end, style = "completed", term.Green
	case x.End == "OrchestrationContinuedAsNew":
		end, style = "continued as new", term.Green
	}
	to := x.To
	if to.IsZero() {
		to = d.t.Now
	}
	turns := "turn"
	if !x.TurnsKnown {
		turns = "replay step"
	}
	if x.Turns != 1 {
		turns += "s"
	}
	name := strings.TrimSpace(printable.Line(x.Name + " " + x.Version))
	fmt.Fprintf(d, "%s  %s  %s\n", d.In(term.Bold, fmt.Sprintf("execution %d", x.ExecutionID)), name, d.In(style, end))
	fmt.Fprintf(d, "%s\n", d.In(term.Dim, fmt.Sprintf("started %s, %s, %d %s, %d events", x.From.UTC().Format("2006-01-02 15:04:05.000 UTC"), d.Span(to.Sub(x.From)), x.Turns, turns, x.Events)))
	d.ticks(x)
	shown, left := 0, 0
	for i := range d.t.Rows {
		r := &d.t.Rows[i]
		if r.ExecutionID != x.ExecutionID || r.Kind == "call" && !d.Calls {
			continue
		}
		g := d.groupOf(r)
		if g != nil && g.EventID != r.EventID {
			continue
		}
		if d.Rows > 0 && shown == d.Rows {
			left++
			continue
		}
		shown++
		if g != nil {
			d.group(g)
		} else {
			d.row(r)
		}
	}
	if left > 0 {
		fmt.Fprintf(d, "%s\n", d.In(term.Dim, fmt.Sprintf("and %d more rows; --rows 0 draws all", left)))
	}
	fmt.Fprintln(d)
}

// ticks draws a mark for each turn.
func (d *drawing) ticks(x *api.TimelineExecution) {
	line := make([]rune, d.bar)
	for i := range line {
		line[i] = ' '
	}
	for i := range d.t.Ticks {
		if k := &d.t.Ticks[i]; k.ExecutionID == x.ExecutionID {
			line[min(int(d.scale.of(k.At)), d.bar-1)] = '╷'
		}
	}
	d.line("turns", term.Dim, string(line), "")
}

// row draws an operation.
func (d *drawing) row(r *api.TimelineRow) {
	end := r.EndedAt
	if end.IsZero() {
		end = d.t.Now
	}
	cells := make([]string, d.bar)
	for i := range cells {
		cells[i] = " "
	}
	from := r.ScheduledAt
	for _, span := range r.Spans {
		to := span.To
		if to.IsZero() {
			to = end
		}
		d.span(cells, span.Doing, from, to)
		from = to
	}
	if len(r.Spans) == 0 {
		cells[min(int(d.scale.of(r.ScheduledAt)), d.bar-1)] = d.In(term.Dim, "◆")
	}
	if r.State == "failed" || r.State == "cancelled" {
		sign, style := "✗", term.Red
		if r.State == "cancelled" {
			sign, style = "⊘", term.Dim
		}
		cells[min(int(d.scale.of(end)), d.bar-1)] = d.In(style, sign)
	}
	took := ""
	if len(r.Spans) > 0 {
		took = d.Span(end.Sub(r.ScheduledAt))
		if r.EndedAt.IsZero() {
			took += "…"
		}
	}
	style := term.Plain
	switch r.State {
	case "failed":
		style = term.Red
	case "cancelled", "closed":
		style = term.Dim
	}
	d.line(d.title(r), style, strings.Join(cells, ""), took)
	d.note(r)
}

// span draws a part of a bar, of one column at least.
func (d *drawing) span(cells []string, what timeline.Doing, from, to time.Time) {
	how, known := drawn[what]
	if !known {
		how = doing{'?', term.Plain}
	}
	d.used[what] = true
	first := min(int(d.scale.of(from)), len(cells)-1)
	last := max(int(d.scale.of(to)), first+1)
	for i := first; i < min(last, len(cells)); i++ {
		cells[i] = d.In(how.style, string(how.glyph))
	}
}

// actedBy names the actor who caused the end of the operation, if it is known.
func actedBy(r *api.TimelineRow) string {
	switch {
	case r.Actor == "":
		return ""
	case r.Kind == "timer":
		return "fired early by " + r.Actor
	case r.Kind == "wait":
		return "raised by " + r.Actor
	case r.Kind == "update":
		return "sent by " + r.Actor
	case r.StartedAt.IsZero():
		return "completed by " + r.Actor
	}
	return "retried by " + r.Actor
}

// note prints information below a row that its bar does not show.
func (d *drawing) note(r *api.TimelineRow) {
	text := ""
	switch {
	case r.State == "cancelled" && r.Text != "":
		// A later report by a worker does not matter, because no code waits for it.
		text = r.Text
	case r.Failure != nil:
		text = failed(r.Failure.Kind) + ": " + r.Failure.Message
		if r.Attempt > 1 {
			text = fmt.Sprintf("attempt %d, %s", r.Attempt, text)
		}
	case r.Text != "":
		text = r.Text
	case r.Attempt > 1:
		text = fmt.Sprintf("attempt %d", r.Attempt)
	case r.Instance != "" && r.Kind != "call":
		text = "instance " + r.Instance
	case r.Kind == "timer" && r.State == "open":
		text = "due " + r.DueAt.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if by := actedBy(r); by != "" {
		text = strings.TrimPrefix(text+", "+by, ", ")
	}
	if text != "" {
		fmt.Fprintf(d, "%s\n", d.In(term.Dim, printable.Clip("    "+printable.Line(text), d.label+d.bar+d.took+4)))
	}
}

// line writes a label, a bar and a time.
func (d *drawing) line(label string, style term.Style, bar, took string) {
	label = printable.Clip(label, d.label)
	pad := strings.Repeat(" ", d.label-printable.Width(label))
	fmt.Fprintf(d, "%s\n", strings.TrimRight(fmt.Sprintf("%s%s  %s  %*s", d.In(style, label), pad, bar, d.took, took), " "))
}

// foot prints the legend of the picture.
func (d *drawing) foot() {
	var parts []string
	for _, what := range legend {
		if d.used[what] {
			parts = append(parts, d.In(drawn[what].style, string(drawn[what].glyph))+" "+explained[what])
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(d, strings.Join(parts, "  "))
	}
	if d.scale.folded {
		fmt.Fprintf(d, "%s\n", d.In(term.Dim, "Long waits are compressed; --linear draws them to scale."))
	}
	if d.grouped {
		fmt.Fprintf(d, "%s\n", d.In(term.Dim, "▁ to █: number of operations of a group in progress; --all draws each operation."))
	}
	if d.t.Earlier > 0 {
		fmt.Fprintf(d, "%s\n", d.In(term.Dim, fmt.Sprintf("%d earlier executions are not drawn; --executions N draws more.", d.t.Earlier)))
	}
}
