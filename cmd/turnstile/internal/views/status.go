package views

import (
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// statusStyle returns the style of a status.
func statusStyle(s client.Status) term.Style {
	switch s {
	case client.StatusStuck, client.StatusCorrupt, client.StatusFailed:
		return term.Red
	case client.StatusCompleted:
		return term.Green
	case client.StatusRunning:
		return term.Cyan
	}
	return term.Yellow
}

func statusCell(s client.Status) term.Cell { return term.Styled(statusStyle(s), string(s)) }
