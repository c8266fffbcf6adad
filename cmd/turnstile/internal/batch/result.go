package batch

import (
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Result is the result of a job.
type Result struct {
	*Job
	Progress Progress
	// Failures are the first failures.
	Failures []api.BatchFailed
}

// Batch returns the result in the API's format.
func (r *Result) Batch() api.Batch {
	p := r.Progress
	out := api.Batch{Action: r.Verb, Selected: p.All, Sent: p.Sent, Skipped: p.Skipped, Failed: r.Failures, FailedCount: p.Failed}
	if p.Done < p.All {
		out.ID = r.ID
	}
	return out
}

// Print prints a line with the number of sent messages.
func (r *Result) Print(notes io.Writer) {
	text := fmt.Sprintf("sent: %s for %s", r.Verb, plain.Plural(r.Progress.Sent, "instance", "instances"))
	if r.Progress.Skipped > 0 {
		text += fmt.Sprintf("; %d skipped, because they had already ended or were purged", r.Progress.Skipped)
	}
	fmt.Fprintln(notes, text)
}
