package views

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// why returns the problem or failure of an instance in one line.
func why(d *client.Description) string {
	switch {
	case d.Status == client.StatusQueued:
		return "waits for a permit of limit " + printable.Line(d.Suspension.LimitKey)
	case d.Status == client.StatusScheduled:
		return "starts " + plain.Moment(time.UnixMilli(d.Suspension.UntilMS))
	case d.Suspension != nil && d.Suspension.Reason != "":
		return printable.Line(d.Suspension.Reason)
	case d.Problem != nil:
		return printable.Line(d.Problem.Text())
	case d.Awaits != nil:
		return printable.Line(api.AwaitsText(d.Awaits))
	case d.Failure != nil && d.Failure.Message != "":
		return printable.Line(cause.OfFailure(d.Failure, d.Name).Line())
	}
	return ""
}
