package main

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// shownWaiting is how many operations describe shows as text.
const shownWaiting = 20

// waitingJSON is what an instance has under way, as --output json prints it.
type waitingJSON struct {
	// Kind of the scheduling event.
	Kind        string     `json:"kind"`
	EventID     int64      `json:"event_id"`
	Name        string     `json:"name,omitempty"`
	ScheduledAt time.Time  `json:"scheduled_at"`
	DueAt       time.Time  `json:"due_at,omitzero"`
	Instance    string     `json:"instance,omitempty"`
	Child       *described `json:"child,omitempty"`
}

func waitingOf(open []client.OpenOperation) []waitingJSON {
	var out []waitingJSON
	for i := range open {
		o := &open[i]
		w := waitingJSON{Kind: o.Kind.String(), EventID: o.EventID, Name: o.Name, ScheduledAt: o.ScheduledAt, DueAt: o.DueAt, Instance: o.Instance}
		if o.Child != nil {
			child := describedOf(o.Child)
			w.Child = &child
		}
		out = append(out, w)
	}
	return out
}

// waiting shows what an instance has under way; of children that are not well
// also why.
func (c *cli) waiting(open []client.OpenOperation) {
	if len(open) == 0 {
		return
	}
	now := c.now()
	fmt.Fprintln(c.out, "\nwaits for")
	t := newTable()
	for i := range open[:min(len(open), shownWaiting)] {
		o := &open[i]
		what, how := printable(o.Name), ""
		switch o.Kind {
		case history.ActivityScheduled:
			what = "activity " + what
		case history.ExternalSubscribed:
			what = "event " + what
		case history.TimerCreated:
			what, how = "timer", "due "+moment(o.DueAt)+" ("+until(now, o.DueAt)+")"
		case history.SubOrchestrationScheduled:
			what, how = "sub-orchestration "+what, "instance "+printable(o.Instance)+", "+childText(o.Child)
		}
		t.row(fmt.Sprintf("  event %d", o.EventID), what, "since "+moment(o.ScheduledAt)+" ("+ago(now, o.ScheduledAt)+")", how)
	}
	t.print(c.out)
	if more := len(open) - shownWaiting; more > 0 {
		fmt.Fprintf(c.out, "  and %d more; --output json shows all\n", more)
	}
}

func childText(d *client.Description) string {
	if d == nil {
		return "not begun"
	}
	text := string(d.Status)
	if why := why(d); why != "" {
		text += ": " + clip(why, 100)
	}
	return text
}

// until writes how long behind now a time is.
func until(now, t time.Time) string {
	if t.Before(now) {
		return span(now.Sub(t)) + " overdue"
	}
	return "in " + span(t.Sub(now))
}
