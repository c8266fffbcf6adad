package pausing

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Print prints event sources, each with how full its queue is if that can be read.
func Print(ctx context.Context, screen *term.Screen, stack Stack, sources []api.EventSource) {
	rows := term.NewTable("QUEUE", "EVENT SOURCE", "VISIBLE", "IN FLIGHT", "DELAYED").Cut(0)
	for _, s := range sources {
		row := []term.Cell{term.Text(s.Queue), term.Styled(sourceStyle(s.State), s.State)}
		if q, err := stack.Queue(ctx, s.Queue); err == nil {
			row = append(row, term.Text(fmt.Sprint(q.Visible)), term.Text(fmt.Sprint(q.InFlight)), term.Text(fmt.Sprint(q.Delayed)))
		}
		rows.Row(row...)
	}
	rows.Print(screen)
}

func sourceStyle(state string) term.Style {
	switch state {
	case On:
		return term.Green
	case Off:
		return term.Red
	}
	return term.Yellow
}
