package views

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Limits prints limits over instances, a line each.
func Limits(screen *term.Screen, now time.Time, all []client.Limit) {
	t := term.NewTable("KEY", "PERMITS", "HELD", "WAITING", "OLDEST", "SET BY", "OF").Cut(0)
	for i := range all {
		l := &all[i]
		oldest, by := "–", "–"
		if len(l.Waiting) > 0 {
			oldest = plain.Ago(now, l.Waiting[0].Since)
		}
		if l.Set > 0 || l.Closed {
			by = cmp.Or(printable.Line(l.SetBy), "unknown")
		}
		t.Row(term.Text(printable.Line(l.Key)), term.Text(permits(l)), term.Text(held(l)),
			term.Text(strconv.Itoa(max(l.Length, len(l.Waiting)))), term.Text(oldest), term.Text(by), term.Text(limited(l)))
	}
	t.Print(screen)
}

// permits returns the number of permits, and for a rate its window.
func permits(l *client.Limit) string {
	if l.Rate && l.Per > 0 {
		return fmt.Sprintf("%d per %s", l.Permits, time.Duration(l.Per)*time.Millisecond)
	}
	return strconv.Itoa(l.Permits)
}

// held returns the number of held permits; a rate has none.
func held(l *client.Limit) string {
	if l.Rate {
		return "–"
	}
	return strconv.Itoa(l.Taken)
}

// declared returns the numbers in the code.
func declared(l *client.Limit) string {
	switch {
	case l.Declared == 0:
		return "not known, because no attempt has waited"
	case l.Other == 0:
		return limitedTo(l, l.Declared, l.DeclaredPer)
	case l.Instances:
		return fmt.Sprintf("%d, and %d until %s", l.Declared, l.Other, plain.Moment(l.OtherAt))
	case l.Rate:
		return fmt.Sprintf("%s, and %s in other code: each attempt uses the number in its own code", limitedTo(l, l.Declared, l.DeclaredPer), limitedTo(l, l.Other, l.OtherPer))
	}
	return fmt.Sprintf("%d, and %d in other code: the lower number applies", l.Declared, l.Other)
}

// limitedTo formats the number of a limit, and for a rate its window.
func limitedTo(l *client.Limit, n int, perMS int64) string {
	if l.Rate {
		return fmt.Sprintf("%d per %s", n, time.Duration(perMS)*time.Millisecond)
	}
	return strconv.Itoa(n)
}

// limited returns what a limit applies to, and what is wrong with its coordinator.
func limited(l *client.Limit) string {
	switch {
	case l.Other > 0 && !l.Instances:
		return fmt.Sprintf("activities, the code declares %s and %s", limitedTo(l, l.Declared, l.DeclaredPer), limitedTo(l, l.Other, l.OtherPer))
	case l.Rate:
		return "activities (rate)"
	case !l.Instances:
		return "activities"
	case l.CoordinatorStatus != client.StatusRunning:
		return "instances, coordinator is " + string(l.CoordinatorStatus)
	}
	return "instances"
}

// Limit prints the state of a limit, with the holders of permits and the waiting attempts or
// instances.
func Limit(out io.Writer, now time.Time, l *client.Limit) {
	row := func(name, text string) { fmt.Fprintf(out, "%-11s %s\n", name, printable.Line(text)) }
	if l.Rate {
		row("rate", l.Key)
		row("starts", permits(l))
	} else {
		row("limit", l.Key)
	}
	if l.Instances {
		row("of", limited(l))
		row("coordinator", l.Coordinator)
		row("waiting", strconv.Itoa(l.Length))
	}
	if !l.Rate {
		row("permits", fmt.Sprintf("%d, %d held", l.Permits, l.Taken))
	}
	row("in code", declared(l))
	if !l.SetAt.IsZero() {
		what := "reset"
		if l.Set > 0 || l.Closed {
			what = fmt.Sprintf("set to %d", l.Set)
			if l.Rate && l.Per != l.DeclaredPer {
				what = "set to " + permits(l)
			}
		}
		row("changed", fmt.Sprintf("%s by %s, %s (%s)", what, cmp.Or(l.SetBy, "an unknown actor"), plain.Moment(l.SetAt), plain.Ago(now, l.SetAt)))
	}
	if len(l.Held) > 0 {
		fmt.Fprintln(out, "\nheld by")
		t := plain.NewTable()
		for _, h := range l.Held {
			if l.Instances {
				t.Row("  "+printable.Line(h.Instance), fmt.Sprintf("execution %d", h.ExecutionID), "since "+plain.Moment(h.Since)+" ("+plain.Ago(now, h.Since)+")")
				continue
			}
			t.Row("  "+printable.Line(h.Instance), fmt.Sprintf("event %d, attempt %d", h.EventID, h.Attempt), "since "+plain.Moment(h.Since)+" ("+plain.Ago(now, h.Since)+")", "until "+plain.Moment(h.Until))
		}
		t.Print(out)
	}
	if len(l.Waiting) > 0 {
		fmt.Fprintln(out, "\nwaiting")
		t := plain.NewTable()
		for i, w := range l.Waiting {
			if l.Instances {
				t.Row(fmt.Sprintf("  %d", i+1), printable.Line(w.Instance), "since "+plain.Moment(w.Since)+" ("+plain.Ago(now, w.Since)+")")
				continue
			}
			t.Row("  "+printable.Line(w.Instance), fmt.Sprintf("event %d, attempt %d", w.EventID, w.Attempt), "since "+plain.Moment(w.Since)+" ("+plain.Ago(now, w.Since)+")",
				"expected to start in "+plain.Span(max(w.Due.Sub(now), 0)))
		}
		t.Print(out)
	}
}
