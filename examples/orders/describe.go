package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
)

// widest is how much of a payload is shown.
const widest = 80

// describe puts an event into words: its kind, and what it is about.
func describe(e *history.Event) (kind, detail string) {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.SourceEventID != 0 {
		add("← %d", e.SourceEventID)
	}
	if e.Name != "" {
		add("%s", e.Name)
	}
	switch e.Kind {
	case history.TimerCreated:
		add("%s", time.Duration(e.DurationMS)*time.Millisecond)
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		add("as %s", e.Instance)
	case history.OrchestrationCancelRequested:
		add("%s", e.Reason)
	}
	if e.Failure != nil {
		add("%s: %s", e.Failure.Kind, e.Failure.Message)
	}
	if payload := string(e.Payload); payload != "" && payload != "{}" {
		add("%s", payload)
	}
	return e.Kind.String(), clip(strings.Join(parts, " "), widest)
}

// action puts into words what was sent because of a turn made at now.
func action(a host.Action, now time.Time) string {
	s := fmt.Sprintf("%-13s", a.Kind)
	if a.Name != "" {
		s += " " + a.Name
	}
	if a.EventID != 0 {
		s += fmt.Sprintf(" (event %d)", a.EventID)
	}
	if !a.Due.IsZero() {
		s += fmt.Sprintf(" due in %s", max(a.Due.Sub(now), 0).Round(time.Millisecond))
	}
	return s
}

func indent(value []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, value, "  ", "  "); err != nil {
		return "  " + string(value)
	}
	return "  " + b.String()
}
