package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Attempts prints the attempts of activities: for people a table for each activity, otherwise a
// line for each attempt with execution, event, activity, attempt, state, start, end, worker,
// failure and actor.
func Attempts(screen *term.Screen, now time.Time, all []api.Attempts) {
	if !screen.Person {
		t := term.NewTable()
		for i := range all {
			for _, a := range all[i].Attempts {
				t.Row(term.Text(strconv.FormatInt(all[i].ExecutionID, 10)), term.Text(strconv.FormatInt(all[i].EventID, 10)), term.Text(printable.Line(all[i].Name)),
					term.Text(strconv.Itoa(a.Number)), term.Text(string(a.State)), term.Text(rfc3339(a.StartedAt)), term.Text(rfc3339(a.EndedAt)), term.Text(printable.Line(a.RequestID)), term.Text(attemptFailure(&a)), term.Text(printable.Line(a.Actor)))
			}
		}
		t.Print(screen)
		return
	}
	var notes []string
	for i := range all {
		one := &all[i]
		if i > 0 {
			fmt.Fprintln(screen)
		}
		of := ""
		if one.MaxAttempts > 1 {
			of = fmt.Sprintf(", at most %d attempts", one.MaxAttempts)
		}
		fmt.Fprintf(screen, "%s  event %d, %s%s\n", screen.In(term.Bold, printable.Line(one.Name)), one.EventID, one.State, of)
		attemptTable(one, now).Print(screen)
		if one.Paused != nil {
			fmt.Fprintln(screen, screen.In(term.Yellow, pausedText(one.Paused, now))+"; the next attempt waits")
		}
		for _, note := range []string{one.Kept, one.NotRead} {
			if note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	fmt.Fprintf(screen, "\n%s\n", strings.Join(notes, "\n"))
}

func attemptTable(one *api.Attempts, now time.Time) *term.Table {
	heads := []string{"ATTEMPT", "STATE", "STARTED", "DURATION", "WORKER", "ERROR"}
	// Most attempts start by themselves.
	asked := slices.ContainsFunc(one.Attempts, func(a api.Attempt) bool { return a.Actor != "" })
	if asked {
		heads = slices.Insert(heads, 4, "REQUESTED BY")
	}
	t := term.NewTable(heads...)
	next := 1
	lost := func(to int) {
		switch {
		case to == next:
			t.Row(term.Text(strconv.Itoa(to)), term.Text("not kept"))
		case to > next:
			t.Row(term.Text(fmt.Sprintf("%d–%d", next, to)), term.Text("not kept"))
		}
	}
	for _, a := range one.Attempts {
		lost(a.Number - 1)
		next = a.Number + 1
		startedAt, took := "–", "–"
		switch {
		case !a.StartedAt.IsZero():
			startedAt = plain.Moment(a.StartedAt)
		case !a.DueAt.IsZero():
			startedAt = "due " + plain.Moment(a.DueAt)
		}
		switch {
		case !a.StartedAt.IsZero() && !a.EndedAt.IsZero():
			took = plain.Span(a.EndedAt.Sub(a.StartedAt))
		case a.State == "running" && !a.StartedAt.IsZero():
			took = plain.Span(max(now.Sub(a.StartedAt), 0)) + "…"
		}
		row := []term.Cell{term.Text(strconv.Itoa(a.Number)), term.Text(string(a.State)), term.Text(startedAt), term.Text(took), term.Text(printable.Line(cmp.Or(a.RequestID, "–"))), term.Text(attemptFailure(&a))}
		if asked {
			row = slices.Insert(row, 4, term.Text(printable.Line(cmp.Or(a.Actor, "–"))))
		}
		t.Row(row...)
	}
	return t
}

func attemptFailure(a *api.Attempt) string {
	if a.Failure == nil {
		return ""
	}
	return printable.Line(a.Failure.Kind + ": " + a.Failure.Message)
}

func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
