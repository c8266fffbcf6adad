package picture

import (
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Rows prints the rows of a timeline for programs: execution, event, kind, name, state,
// begin, end, duration, attempt, failure.
func Rows(screen *term.Screen, t *api.Timeline) {
	rows := term.NewTable()
	for i := range t.Rows {
		r := &t.Rows[i]
		end, took, failure := "", "", ""
		if !r.EndedAt.IsZero() {
			end, took = r.EndedAt.Format(time.RFC3339Nano), r.EndedAt.Sub(r.ScheduledAt).String()
		}
		if r.Failure != nil {
			failure = r.Failure.Kind + ": " + r.Failure.Message
		}
		name := r.Name
		if r.Op != "" && name == "" {
			name = r.Op
		}
		rows.Row(term.Text(strconv.FormatInt(r.ExecutionID, 10)), term.Text(strconv.FormatInt(r.EventID, 10)), term.Text(string(r.Kind)), term.Text(printable.Line(name)),
			term.Text(string(r.State)), term.Text(r.ScheduledAt.Format(time.RFC3339Nano)), term.Text(end), term.Text(took), term.Text(strconv.Itoa(r.Attempt)), term.Text(printable.Line(failure)))
	}
	rows.Print(screen)
}
