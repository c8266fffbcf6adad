package batch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Each does something to each of the instances that are named; one that fails does not
// keep it from the others.
func Each(ctx context.Context, notes io.Writer, j *Job, named []string, do func(ctx context.Context, j *Job, instance string) error) error {
	var failed []error
	for _, instance := range named {
		err := do(ctx, j, instance)
		switch {
		case errors.Is(err, client.ErrNoRecord):
			fmt.Fprintf(notes, "sent: %s for %s, which has no record yet: it counts only if a start is queued\n", j.Verb, printable.Line(instance))
		case err != nil:
			failed = append(failed, err)
		default:
			fmt.Fprintf(notes, "sent: %s for %s\n", j.Verb, printable.Line(instance))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}
