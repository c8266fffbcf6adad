package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// kindStyle distinguishes arrivals, failures and ends.
func kindStyle(k history.Kind) term.Style {
	switch {
	case k == history.OrchestrationCompleted, k == history.OrchestrationContinuedAsNew:
		return term.Green
	case k == history.OrchestrationFailed, k == history.ActivityFailed, k == history.SubOrchestrationFailed:
		return term.Red
	case k.Arrival():
		return term.Cyan
	}
	return term.Plain
}

// detail returns the other fields of an event in one line.
func detail(e *history.Event, width int) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.Label != "" {
		add("%s", printable.Line(e.Label))
	}
	if e.Actor != "" {
		add("by %s", printable.Line(e.Actor))
	}
	if step := e.UpdateStep(); step != "" {
		add("%s", step)
	}
	switch e.Kind {
	case history.OrchestrationStarted, history.ParentAttached:
		if e.Start != nil && e.Start.Parent != nil {
			add("for %s event %d", printable.Line(e.Start.Parent.Instance), e.Start.Parent.EventID)
		}
		if e.Start != nil && e.Start.Origin != nil {
			o := e.Start.Origin
			add("continues from %s execution %d event %d", printable.Line(o.Instance), o.ExecutionID, o.EventID)
		}
	case history.ActivityScheduled:
		if e.Inline {
			add("inline")
		}
		if e.Retry != nil && e.Retry.MaxAttempts > 1 {
			add("up to %d attempts", e.Retry.MaxAttempts)
		}
	case history.TimerCreated:
		add("%s, due %s", plain.Span(time.Duration(e.DurationMS)*time.Millisecond), plain.Moment(time.UnixMilli(e.FireAtMS)))
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		add("as %s", printable.Line(e.Instance))
	case history.SystemCall:
		if e.UpdateStep() == "" {
			add("%s", printable.Line(e.Op))
		}
		if e.Instance != "" {
			add("to %s", printable.Line(e.Instance))
		}
	case history.TimerFired:
		if e.SenderID != "" {
			add("fired early: %s", printable.Clip(printable.Line(e.Reason), width))
		}
	case history.OrchestrationCancelRequested, history.OrchestrationSuspended, history.OrchestrationResumed, history.ExternalRejected:
		add("%s", printable.Clip(printable.Line(e.Reason), width))
	}
	if e.Forced != "" {
		add("forced termination: %s", printable.Line(e.Forced))
	}
	if f := e.Failure; f != nil {
		kind := printable.Line(f.Kind)
		if f.Code != "" {
			kind += " " + printable.Line(f.Code)
		}
		if f.Attempt > 1 {
			kind += fmt.Sprintf(" (attempt %d)", f.Attempt)
		}
		add("%s: %s", kind, printable.Clip(printable.Line(f.Message), width))
		if len(f.Details) > 0 && e.Codec == "" {
			add("%s", plain.OneLine(f.Details, width))
		}
	}
	if e.Codec != "" {
		add("[%s, %d bytes]", printable.Line(e.Codec), len(e.Payload))
	} else if len(e.Payload) > 0 {
		add("%s", plain.OneLine(e.Payload, width))
	}
	return strings.Join(parts, "  ")
}
