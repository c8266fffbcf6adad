package batch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Each calls do for each of the named instances, and continues after a failure. It returns the joined
// errors.
func Each(ctx context.Context, notes io.Writer, j *Job, named []string, do func(ctx context.Context, j *Job, instance string) error) error {
	var failed []error
	for _, instance := range named {
		err := do(ctx, j, instance)
		switch {
		case errors.Is(err, client.ErrNoRecord):
			fmt.Fprintf(notes, "sent: %s for %s, which does not exist yet: it has an effect only if a start is queued\n", j.Verb, printable.Line(instance))
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
