package views

import (
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Plan prints what a redrive would take over, and what it would start anew. instance is
// the one that goes on: with a fork the new one.
func Plan(out io.Writer, instance string, d *client.Redriven) {
	name := printable.Line(instance)
	switch {
	case d.TakenOver == 0:
		fmt.Fprintf(out, "%s would begin from the beginning: it failed in its first round\n", name)
	default:
		fmt.Fprintf(out, "%s would take over %s, and keep %s behind %s\n", name, plain.Plural(int(d.TakenOver), "event", "events"),
			plain.Plural(d.Kept, "result", "results"), map[bool]string{true: "it", false: "them"}[d.TakenOver == 1])
	}
	for _, w := range d.Again {
		fmt.Fprintf(out, "  %-5d  %-24s  %s\n", w.EventID, workText(&w), whyAgain[w.Why]+links(&w))
	}
	if len(d.Again) == 0 && d.TakenOver > 0 {
		fmt.Fprintln(out, "  nothing is started anew: only the code runs again. If that ends as before, because a saga has")
		fmt.Fprintln(out, "  undone its steps, rerun the instance, or name an earlier event: --from EVENT")
	}
}

var whyAgain = map[string]string{
	"failed":    "had failed: starts anew",
	"open":      "was open: starts anew",
	"completed": "had completed: starts anew, because --from names its completion",
	"forgotten": "forgotten: the code asks for it again",
	"taken":     "forgotten: the code asks for it again, and fails (already_exists) unless it has UseExisting",
}

// links says what becomes of a link by which somebody may complete an activity.
func links(w *client.RedrivenWork) string {
	if w.Kind == history.ActivityScheduled && w.Why == "forgotten" {
		return ", and a link that was sent for it completes nothing"
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
