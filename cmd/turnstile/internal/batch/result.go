package batch

import (
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Result is what became of a job.
type Result struct {
	*Job
	Progress Progress
	// Failures are the first that failed.
	Failures []api.BatchFailed
}

// Batch is the result as the API says it.
func (r *Result) Batch() api.Batch {
	p := r.Progress
	out := api.Batch{Action: r.Verb, Selected: p.All, Sent: p.Sent, Skipped: p.Skipped, Failed: r.Failures, FailedCount: p.Failed}
	if p.Done < p.All {
		out.ID = r.ID
	}
	return out
}

// Print says in a line what was sent.
func (r *Result) Print(notes io.Writer) {
	text := fmt.Sprintf("sent: %s for %s", r.Verb, plain.Plural(r.Progress.Sent, "instance", "instances"))
	if r.Progress.Skipped > 0 {
		text += fmt.Sprintf("; %d had ended or gone meanwhile", r.Progress.Skipped)
	}
	fmt.Fprintln(notes, text)
}
