package letters

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// List prints dead letters, one per line. It writes to notes for which instances a FIFO queue may hide
// more.
func List(screen *term.Screen, notes io.Writer, now time.Time, all []api.DeadLetter) {
	t := term.NewTable("MESSAGE ID", "QUEUE", "AGE", "KIND", "INSTANCE", "REASON").Cut(5, 3, 4)
	behind := map[string]int{}
	for i := range all {
		l := &all[i]
		t.Row(term.Text(l.MessageID), term.Text(l.Queue),
			term.Cell{Text: plain.Span(max(now.Sub(l.SentAt), 0)), Whole: l.SentAt.UTC().Format(time.RFC3339)},
			term.Cell{Text: printable.Line(printable.Clip(l.Kind, 24)), Whole: printable.Line(l.Kind)},
			term.Cell{Text: printable.Line(printable.Clip(l.Instance, 60)), Whole: printable.Line(l.Instance)},
			term.Styled(term.Red, reasonOf(l)))
		if l.Queue == deadletter.DeadFIFO {
			behind[l.Group]++
		}
	}
	t.Print(screen)
	for i := range all {
		l := &all[i]
		if behind[l.Group] >= queue.MaxReceive && l.Queue == deadletter.DeadFIFO {
			fmt.Fprintf(notes, "%s may have more dead letters after its first ten\n", printable.Line(l.Instance))
			delete(behind, l.Group)
		}
	}
}

// reasonOf returns the reason of a dead letter and its text, in one line.
func reasonOf(l *api.DeadLetter) string {
	if l.Reason == "" {
		return "moved by SQS after its last receive"
	}
	return printable.Line(strings.TrimSuffix(l.Reason+": "+l.ReasonText, ": "))
}
