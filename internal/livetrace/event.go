package livetrace

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// describe describes an event: its kind, and what it refers to.
func describe(e *history.Event) (kind, detail string) {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.SourceEventID != 0 {
		add("← %d", e.SourceEventID)
	}
	if e.Label != "" {
		add("%s,", e.Label)
	}
	if name, update := e.Update(); update {
		add("update %s %s", name, e.UpdateStep())
	} else if e.Name != "" {
		add("%s", e.Name)
	}
	if e.Version != "" {
		add("version %s", e.Version)
	}
	switch e.Kind {
	case history.ActivityScheduled:
		if e.Inline {
			add("inline")
		}
	case history.TimerCreated:
		add("%s", span(time.Duration(e.DurationMS)*time.Millisecond))
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		add("as %s", e.Instance)
	case history.SystemCall:
		if e.UpdateStep() == "" {
			add("%s", e.Op)
		}
	case history.TimerFired:
		if e.SenderID != "" {
			add("early %s", e.Reason)
		}
	case history.OrchestrationCancelRequested, history.OrchestrationSuspended, history.OrchestrationResumed, history.ExternalRejected:
		add("%s", e.Reason)
	}
	if e.Forced != "" {
		add("forced: %s", e.Forced)
	}
	if e.Failure != nil {
		add("%s: %s", e.Failure.Kind, e.Failure.Message)
	}
	if payload := string(e.Payload); payload != "" && payload != "{}" {
		add("%s", payload)
	}
	return e.Kind.String(), printable.Line(strings.Join(parts, " "))
}

// action describes what was sent because of a turn made at now.
func action(a host.Action, now time.Time) string {
	s := fmt.Sprintf("%-13s", a.Kind)
	if a.Name != "" {
		s += " " + printable.Line(a.Name)
	}
	if a.EventID != 0 {
		s += fmt.Sprintf(" (event %d)", a.EventID)
	}
	if !a.Due.IsZero() {
		s += " due in " + span(max(a.Due.Sub(now), 0))
	}
	return s
}

func continues(k history.Kind) bool { return k == history.OrchestrationContinuedAsNew }

// addresses matches the arguments of a function in a stack, and the offset in its code, which do
// not help a reader.
var addresses = regexp.MustCompile(`\((?:\{?0x|\.\.\.|\{\.\.\.)[^)]*\)$| \+0x[0-9a-f]+$`)

// stack returns the useful part of a stack: its first lines, which have the author's code.
func stack(text string) []string {
	const most = 6
	var lines []string
	for line := range strings.Lines(text) {
		line = addresses.ReplaceAllString(strings.TrimRight(line, "\n"), "")
		line = printable.Line(strings.ReplaceAll(line, "\t", "    "))
		if line == "" || strings.HasPrefix(line, "goroutine ") {
			continue
		}
		if len(lines) == most {
			return append(lines, "…")
		}
		lines = append(lines, line)
	}
	return lines
}
