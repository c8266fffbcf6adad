package views

import (
	"fmt"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// ReplayedOf is what came of replaying the histories of an instance, of which there is one
// or more; problem says where code and history part.
func ReplayedOf(exports []history.Export, agrees bool, problem string) api.Replayed {
	out := api.Replayed{Instance: exports[0].Instance, Agrees: agrees}
	for i := range exports {
		out.Executions = append(out.Executions, exports[i].ExecutionID)
	}
	if !agrees {
		out.Problem = problem
	}
	return out
}

// Replayed prints that code and histories agree, or where they part.
func Replayed(s *term.Screen, r *api.Replayed, exports []history.Export) {
	if !r.Agrees {
		fmt.Fprintln(s, printable.Lines(r.Problem))
		return
	}
	events := 0
	for i := range exports {
		events += len(exports[i].Events)
	}
	fmt.Fprintf(s, "%s: the code here does what %s of %s say (%s)\n", s.In(term.Green, "agrees"), plain.Plural(events, "event", "events"), printable.Line(r.Instance), plain.Plural(len(exports), "execution", "executions"))
}
