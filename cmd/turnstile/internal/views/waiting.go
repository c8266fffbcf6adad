package views

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// shownWaiting is the largest number of operations to print.
const shownWaiting = 20

// pending prints the pending operations of an instance, with the problems of its children.
func pending(out io.Writer, now time.Time, open []client.PendingOperation, paused []api.PausedQueue) {
	for i := range paused {
		if paused[i].Queue == "" {
			fmt.Fprintf(out, "\n%s: no instance continues\n", pausedText(&paused[i], now))
		}
	}
	if len(open) == 0 {
		return
	}
	fmt.Fprintln(out, "\nwaits for")
	t := plain.NewTable()
	for i := range open[:min(len(open), shownWaiting)] {
		o := &open[i]
		what, how := printable.Line(o.Name), ""
		switch o.Kind {
		case history.ActivityScheduled:
			what = "activity " + what
			if p := api.PausedFor(paused, o.Queue); p != nil {
				how = pausedText(p, now)
			}
		case history.ExternalSubscribed:
			what = "event " + what
			if o.Instance != "" {
				what, how = "answer of update "+printable.Line(o.Name), "instance "+printable.Line(o.Instance)
			}
		case history.TimerCreated:
			what, how = "timer", "due "+plain.Moment(o.DueAt)+" ("+until(now, o.DueAt)+")"
		case history.SubOrchestrationScheduled:
			what, how = "child "+what, "instance "+printable.Line(o.Instance)+", "+childText(o.Child)
		}
		if o.Label != "" {
			what = printable.Line(o.Label) + ", " + what
		}
		t.Row(fmt.Sprintf("  event %d", o.EventID), what, "since "+plain.Moment(o.ScheduledAt)+" ("+plain.Ago(now, o.ScheduledAt)+")", how)
	}
	t.Print(out)
	if more := len(open) - shownWaiting; more > 0 {
		fmt.Fprintf(out, "  and %d more; --output json shows all\n", more)
	}
}

// pausedText describes a pause: the queue, the actor and the time.
func pausedText(p *api.PausedQueue, now time.Time) string {
	text := printable.Line(p.Text())
	if !p.At.IsZero() {
		text += " (" + plain.Ago(now, p.At) + ")"
	}
	return text
}

// updates prints the oldest updates that are not answered.
func updates(out io.Writer, now time.Time, open []client.UpdateStatus) {
	if len(open) == 0 {
		return
	}
	fmt.Fprintln(out, "\nopen updates")
	t := plain.NewTable()
	for _, u := range open[:min(len(open), shownWaiting)] {
		how := "received"
		if u.Stage == client.UpdateAccepted {
			how = "accepted"
		}
		t.Row(fmt.Sprintf("  event %d", u.EventID), printable.Line(u.Name), "id "+printable.Line(u.ID), how+" "+plain.Moment(u.At)+" ("+plain.Ago(now, u.At)+")")
	}
	t.Print(out)
	if more := len(open) - shownWaiting; more > 0 {
		fmt.Fprintf(out, "  and %d more; --output json shows all\n", more)
	}
}

// untaken prints the newest unconsumed events.
func untaken(out io.Writer, now time.Time, events []client.UnconsumedEvent) {
	if len(events) == 0 {
		return
	}
	fmt.Fprintln(out, "\nunconsumed events")
	t := plain.NewTable()
	for _, e := range events[max(0, len(events)-shownWaiting):] {
		how := ""
		if e.Actor != "" {
			how = "by " + printable.Line(e.Actor)
		}
		if e.RejectedBy != 0 {
			how = strings.TrimSpace(how + fmt.Sprintf(" rejected (event %d): %s", e.RejectedBy, printable.Clip(printable.Line(e.Reason), 200)))
		}
		t.Row(fmt.Sprintf("  event %d", e.EventID), printable.Line(e.Name), "received "+plain.Moment(e.At)+" ("+plain.Ago(now, e.At)+")", how)
	}
	t.Print(out)
	if more := len(events) - shownWaiting; more > 0 {
		fmt.Fprintf(out, "  and %d earlier; --output json shows all\n", more)
	}
}

func childText(d *client.Description) string {
	if d == nil {
		return "not started"
	}
	text := string(d.Status)
	if why := why(d); why != "" {
		text += ": " + printable.Clip(why, 100)
	}
	return text
}

// until formats how far a time is in the future.
func until(now, t time.Time) string {
	if t.Before(now) {
		return plain.Span(now.Sub(t)) + " overdue"
	}
	return "in " + plain.Span(t.Sub(now))
}
