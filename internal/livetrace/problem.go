package livetrace

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/store"
)

// ProblemChanged implements host.Observer: it shows why an instance is stuck, in one line if that
// is already known, and that it continues.
func (t *Trace) ProblemChanged(c host.ProblemChange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b block
	b.line("")
	if c.Problem == nil {
		delete(t.problems, c.Instance)
		b.line("%s", t.entry(t.clock(c.At), printable.Line(c.Instance), t.paint.green("continues")))
	} else {
		t.problem(&b, &c)
	}
	t.write(&b)
}

func (t *Trace) problem(b *block, c *host.ProblemChange) {
	p := c.Problem
	what, advice := "stuck: "+p.Kind, "Nothing is lost. The next message, wake-up or process retries it."
	if p.NextMS > 0 {
		advice = "Nothing is lost. The next message retries it; otherwise it retries in " + span(max(time.UnixMilli(p.NextMS).Sub(c.At), 0)) + "."
	}
	if p.Kind == store.ProblemCorrupt {
		what, advice = p.Kind, "Nothing is written to its history, and its messages become dead letters."
	}
	if p.EventID != 0 {
		what += fmt.Sprintf(", at event %d", p.EventID)
	}
	if p.Tries > 1 {
		what += fmt.Sprintf(", try %d", p.Tries)
	}
	known := t.problems[c.Instance] == p.Message
	if known {
		what += ", as before"
	}
	b.line("%s", t.entry(t.clock(c.At), printable.Line(c.Instance), t.paint.red(printable.Line(what))))
	if known {
		return
	}
	t.problems[c.Instance] = p.Message
	width := t.width() - 8
	if d := p.Diff; d != nil {
		// It is not cut, because the difference may be at its end.
		for _, line := range fold("- history has "+printable.Line(d.Have), width) {
			b.line("        %s", t.paint.red(line))
		}
		for _, line := range fold("+ the code "+printable.Line(d.Did), width) {
			b.line("        %s", t.paint.green(line))
		}
		if d.At != "" {
			b.line("        %s", clip("  at "+printable.Line(d.At), width))
		}
		advice = "Nothing is lost. A process whose code agrees with the history continues it immediately."
	} else {
		for _, line := range wrap(printable.Line(p.Message), width) {
			b.line("        %s", t.paint.red(line))
		}
	}
	for _, line := range stack(p.Stack) {
		b.line("        %s", t.paint.dim(clip(line, width)))
	}
	for _, line := range wrap(advice, width) {
		b.line("        %s", line)
	}
}
