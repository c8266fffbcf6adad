package engine

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/turnstile-go/turnstile/history"
)

// describe names an event for people.
func (x *Execution) describe(e *history.Event) string {
	text := x.describeUnlabelled(e)
	if e.Label == "" {
		return text
	}
	return fmt.Sprintf("%s labelled %q", text, e.Label)
}

func (x *Execution) describeUnlabelled(e *history.Event) string {
	switch e.Kind {
	case history.ActivityScheduled:
		mode := ""
		if e.Inline {
			mode = ", inline"
		}
		return fmt.Sprintf("ActivityScheduled(%q, input %s%s)", e.Name, x.brief(e.Payload), mode)
	case history.TimerCreated:
		return fmt.Sprintf("TimerCreated(%d ms)", e.DurationMS)
	case history.ExternalSubscribed:
		return fmt.Sprintf("ExternalSubscribed(%q)", e.Name)
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		s := fmt.Sprintf("%s(%q", e.Kind, e.Name)
		if e.Version != "" {
			s += fmt.Sprintf(" version %q", e.Version)
		}
		if e.ExplicitID {
			s += fmt.Sprintf(" instance %q", e.Instance)
		}
		return s + fmt.Sprintf(", input %s)", x.brief(e.Payload))
	case history.SystemCall:
		if e.Instance != "" {
			return fmt.Sprintf("SystemCall(%s %q, instance %q%s)", e.Op, e.Name, e.Instance, x.input(e))
		}
		if e.Name != "" {
			return fmt.Sprintf("SystemCall(%s %q)", e.Op, e.Name)
		}
		return fmt.Sprintf("SystemCall(%s)", e.Op)
	case history.OrchestrationCompleted:
		return fmt.Sprintf("OrchestrationCompleted(output %s)", x.brief(e.Payload))
	case history.OrchestrationContinuedAsNew:
		return fmt.Sprintf("OrchestrationContinuedAsNew(version %q, input %s)", e.Version, x.brief(e.Payload))
	case history.OrchestrationFailed:
		if e.Failure != nil {
			return fmt.Sprintf("OrchestrationFailed(%s: %q)", e.Failure.Kind, e.Failure.Message)
		}
	case history.ExternalEvent:
		return fmt.Sprintf("ExternalEvent(%q)", e.Name)
	case history.ExternalRejected:
		return fmt.Sprintf("ExternalRejected(%q, event %d)", e.Name, e.SourceEventID)
	}
	if e.SourceEventID != 0 {
		return fmt.Sprintf("%s for event %d", e.Kind, e.SourceEventID)
	}
	return e.Kind.String()
}

func (x *Execution) input(e *history.Event) string {
	if len(e.Payload) == 0 {
		return ""
	}
	return ", input " + x.brief(e.Payload)
}

// brief is a payload short enough for an error text, or what stands in its
// place.
func (x *Execution) brief(p []byte) string {
	if x.cfg.Options.Conceal != nil {
		return x.cfg.Options.Conceal(p)
	}
	const longest = 120
	if len(p) == 0 {
		return "nothing"
	}
	if len(p) > longest {
		return fmt.Sprintf("%s… (%d bytes)", p[:longest], len(p))
	}
	return string(p)
}

// panicText is what a panic says. Its value comes from anywhere: where payloads
// are sealed, only what cannot quote one is shown.
func (x *Execution) panicText(v any) string {
	if x.cfg.Options.Conceal == nil {
		return fmt.Sprint(v)
	}
	if text, ok := PlainPanic(v); ok {
		return text
	}
	return fmt.Sprintf("%T, the text of which is not shown, for payloads are sealed: %s", v, x.cfg.Options.Conceal([]byte(fmt.Sprint(v))))
}

// PlainPanic returns the text of a panic's value, and whether it can quote no
// payload: the Go runtime's errors, and values whose method Plain says so.
func PlainPanic(v any) (text string, ok bool) {
	switch v := v.(type) {
	case runtime.Error:
		return v.Error(), true
	case interface{ Plain() string }:
		return v.Plain(), true
	}
	return "", false
}

// JSONKind names what a JSON text is, with its article.
func JSONKind(text []byte) string {
	switch text = bytes.TrimSpace(text); {
	case len(text) == 0:
		return "nothing"
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "an array"
	case text[0] == '"':
		return "a string"
	case text[0] == '-', text[0] >= '0' && text[0] <= '9':
		return "a number"
	}
	return "a value"
}
