package letters

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Show prints a dead letter with its attributes and its body.
func Show(out io.Writer, now time.Time, l *api.DeadLetter) {
	t := plain.NewTable()
	t.Row("message id", l.MessageID)
	t.Row("queue", l.Queue+", redriven to "+l.Source)
	t.Row("sent", plain.Moment(l.SentAt)+" ("+plain.Ago(now, l.SentAt)+")")
	t.Row("kind", printable.Line(l.Kind))
	t.Row("instance", printable.Line(l.Instance))
	if l.Group != "" {
		t.Row("group", printable.Line(l.Group))
	}
	if l.DedupID != "" {
		t.Row("deduplication id", printable.Line(l.DedupID))
	}
	t.Row("reason", reasonOf(l))
	if l.Unread != "" && (l.ReasonText == "" || !strings.HasSuffix(l.Unread, l.ReasonText)) {
		t.Row("cannot be read", printable.Line(l.Unread))
	}
	t.Print(out)
	others := plain.NewTable()
	for _, name := range slices.Sorted(maps.Keys(l.Attributes)) {
		if name != wire.ReasonAttribute {
			others.Row("  "+printable.Line(name), printable.Line(l.Attributes[name]))
		}
	}
	if others.Len() > 0 {
		fmt.Fprintln(out, "\nattributes")
		others.Print(out)
	}
	body := l.Body
	if l.Opened != "" {
		body = l.Opened
		fmt.Fprint(out, "\nthe body is shown with its payloads decoded\n")
	}
	fmt.Fprintf(out, "\nbody\n  %s\n\nwhat to do: %s\n", plain.Indented([]byte(body), "  "), l.Advice)
}

// Removed prints the result for a dead letter that was "redriven" or "deleted", or with dry would be.
// It prints to failed if the dead letter is still in its queue.
func Removed(out, failed io.Writer, did string, dry bool, is *api.RemovedDeadLetter) {
	verb, to := did, ""
	if dry {
		verb = "would be " + verb
	}
	if is.To != "" {
		to = " to " + is.To
	}
	what := printable.Line(strings.TrimSpace(is.Kind + " " + is.Instance))
	if is.Error != "" {
		fmt.Fprintf(failed, "not %s: %s (%s): %s\n", did, is.MessageID, what, printable.Line(is.Error))
		return
	}
	fmt.Fprintf(out, "%s%s: %s (%s)\n", verb, to, is.MessageID, what)
}
