package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// History prints the events of an execution, each cut to width; to programs as [EventRows].
func History(screen *term.Screen, d *client.Description, x *history.Export, width int) {
	events := x.Events
	if !screen.Person {
		EventRows(screen, x.ExecutionID, events, width)
		return
	}
	head := fmt.Sprintf("%s  %s  execution %d", screen.In(term.Bold, printable.Line(d.Instance)), printable.Line(strings.TrimSpace(events[0].Name+" "+events[0].Version)), x.ExecutionID)
	if x.ExecutionID == d.ExecutionID {
		head += "  " + screen.In(statusStyle(d.Status), string(d.Status))
	}
	fmt.Fprintf(screen, "%s\nstarted %s\n\n", head, plain.Moment(time.UnixMilli(events[0].AtMS)))
	idWidth := len(fmt.Sprint(len(events)))
	t := term.NewTable().Cut(5)
	for i := range events {
		e := &events[i]
		after := ""
		if i > 0 && e.AtMS != events[i-1].AtMS {
			after = "+" + plain.Span(time.Duration(e.AtMS-events[i-1].AtMS)*time.Millisecond)
		}
		of, name := "", e.Name
		if e.SourceEventID > 0 {
			of = fmt.Sprintf("←%d", e.SourceEventID)
			if at := e.SourceEventID - events[0].EventID; at >= 0 && at < int64(len(events)) {
				name = events[at].Name
			}
		}
		if update, is := strings.CutPrefix(name, history.UpdatePrefix); is {
			name = "update " + update
		} else if strings.HasPrefix(name, history.AnswerPrefix) {
			name = "answer to update"
		}
		t.Row(term.Text(fmt.Sprintf("%*d", idWidth, e.EventID)), term.Styled(term.Dim, fmt.Sprintf("%8s", after)), term.Styled(kindStyle(e.Kind), e.Kind.String()),
			term.Text(of), term.Text(printable.Line(name)), term.Text(detail(e, width)))
	}
	t.Lay(screen)
	took := time.Duration(events[len(events)-1].AtMS-events[0].AtMS) * time.Millisecond
	fmt.Fprintf(screen, "\n%s in %s\n", plain.Plural(len(events), "event", "events"), plain.Span(took))
	if p := d.Problem; p != nil && x.ExecutionID == d.ExecutionID {
		fmt.Fprintf(screen, "%s at event %d: %s\n", screen.In(term.Red, string(d.Status)), p.EventID, printable.Line(p.Text()))
	}
}

// EventRows prints events for programs: execution, event, time, kind, the event that it completes,
// name, and details.
func EventRows(screen *term.Screen, execution int64, events []history.Event, width int) {
	rows := term.NewTable()
	for i := range events {
		e := &events[i]
		source := ""
		if e.SourceEventID > 0 {
			source = strconv.FormatInt(e.SourceEventID, 10)
		}
		rows.Row(term.Text(strconv.FormatInt(execution, 10)), term.Text(strconv.FormatInt(e.EventID, 10)),
			term.Text(time.UnixMilli(e.AtMS).UTC().Format(time.RFC3339Nano)), term.Text(e.Kind.String()),
			term.Text(source), term.Text(printable.Line(e.Name)), term.Text(detail(e, width)))
	}
	rows.Print(screen)
}
