package views

import (
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Plan prints what a redrive would copy, and what it would start again.
func Plan(out io.Writer, d *client.Redriven) {
	name := printable.Line(d.Instance)
	switch {
	case d.CopiedEvents == 0:
		fmt.Fprintf(out, "%s would run from the beginning and copy no event\n", name)
	default:
		fmt.Fprintf(out, "%s would copy %s, and keep %s after %s\n", name, plain.Plural(int(d.CopiedEvents), "event", "events"),
			plain.Plural(d.Kept, "result", "results"), map[bool]string{true: "it", false: "them"}[d.CopiedEvents == 1])
	}
	for _, w := range d.Rescheduled {
		fmt.Fprintf(out, "  %-5d  %-24s  %s\n", w.EventID, workText(&w), whyAgain[w.Why]+links(&w))
	}
	if d.Nothing() {
		fmt.Fprintln(out, "  no operation starts again: only the code runs again. If it fails as before, for example because a")
		fmt.Fprintln(out, "  saga has undone its steps, restart the instance, or give an earlier event with --from EVENT")
	}
}

// FailureAdvice returns what to do about an instance that has failed. plan is what a redrive would
// do; nil if that is not known. key is the key of its cause.
func FailureAdvice(instance, key string, plan *client.Redriven) string {
	name := plain.ShellWord(instance)
	if plan != nil && plan.Nothing() {
		return fmt.Sprintf("fix the cause; then `turnstile restart %s` restarts it from the beginning,\nand `turnstile restart --cause %s` restarts all instances with this cause. A redrive would start no operation\nagain, so with the same code it would fail as before.", name, key)
	}
	return fmt.Sprintf("fix the cause; then `turnstile redrive %s` continues it where it failed,\nand `turnstile redrive --cause %s` redrives all instances with this cause.", name, key)
}

// Plans prints what the redrives of many instances would do.
func Plans(out io.Writer, p *api.Plans) {
	if p.Continue > 0 {
		fmt.Fprintf(out, "%s and start %s again\n", plain.Plural(p.Continue, "instance would continue", "instances would continue"), plain.Plural(p.Operations, "operation", "operations"))
	}
	if p.FromStart > 0 {
		fmt.Fprintf(out, "%s from the beginning, because nothing completed before the failure\n", plain.Plural(p.FromStart, "instance would run", "instances would run"))
	}
	if n := len(p.Nothing); n > 0 {
		fmt.Fprintf(out, "%s any operation again, and would fail as before with the same code; restart:\n", plain.Plural(n, "instance would not start", "instances would not start"))
		names(out, p.Nothing)
	}
	if n := len(p.Refused); n > 0 {
		fmt.Fprintf(out, "%s redriven:\n", plain.Plural(n, "instance cannot be", "instances cannot be"))
		for _, r := range p.Refused[:min(n, shownPlans)] {
			fmt.Fprintf(out, "  %s: %s\n", printable.Line(r.Instance), printable.Line(r.Error))
		}
	}
	if p.Unread > 0 {
		fmt.Fprintf(out, "%s not read: narrow the selection to see the plans of these instances\n", plain.Plural(p.Unread, "history was", "histories were"))
	}
}

// shownPlans is how many instances a plan for many lists.
const shownPlans = 10

func names(out io.Writer, ids []string) {
	for _, id := range ids[:min(len(ids), shownPlans)] {
		fmt.Fprintf(out, "  %s\n", printable.Line(id))
	}
	if more := len(ids) - shownPlans; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

var whyAgain = map[string]string{
	"failed":    "failed: starts again",
	"open":      "was open: starts again",
	"completed": "completed: starts again, because --from names its completion",
	"forgotten": "discarded: the code schedules it again",
	"taken":     "discarded: the code starts it again, which fails (already_exists) unless it has UseExisting",
}

// links returns what happens to links with completion tokens.
func links(w *client.RedrivenWork) string {
	if w.Kind == history.ActivityScheduled && w.Why == "forgotten" {
		return "; a completion link that was sent for it has no effect"
	}
	return ""
}

func workText(w *client.RedrivenWork) string {
	switch w.Kind {
	case history.ActivityScheduled:
		return "activity " + printable.Line(w.Name)
	case history.SubOrchestrationScheduled:
		return "child " + printable.Line(w.Instance)
	}
	return "timer"
}
