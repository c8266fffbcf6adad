package views

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

// ReplayedOf returns the result of replaying one or more histories of an instance. said is the
// program's output: where code and history disagree, or where the code waits (supervised.Waits).
func ReplayedOf(exports []history.Export, agrees bool, said string) api.Replayed {
	out := api.Replayed{Instance: exports[0].Instance, Agrees: agrees}
	for i := range exports {
		out.Executions = append(out.Executions, exports[i].ExecutionID)
	}
	if !agrees {
		out.Problem = said
		return out
	}
	for line := range strings.Lines(said) {
		text, is := strings.CutPrefix(line, supervised.Waits)
		var one api.CodeWaits
		if is && json.Unmarshal([]byte(text), &one) == nil {
			out.Waits = append(out.Waits, one)
		}
	}
	return out
}

// Replayed prints that code and histories agree, or where they disagree.
func Replayed(s *term.Screen, r *api.Replayed, exports []history.Export) {
	if !r.Agrees {
		fmt.Fprintln(s, printable.Lines(r.Problem))
		return
	}
	events := 0
	for i := range exports {
		events += len(exports[i].Events)
	}
	fmt.Fprintf(s, "%s: the code here agrees with %s of %s (%s)\n", s.In(term.Green, "ok"), plain.Plural(events, "event", "events"), printable.Line(r.Instance), plain.Plural(len(exports), "execution", "executions"))
	for i := range r.Waits {
		CodeWaits(s, &r.Waits[i])
	}
}
