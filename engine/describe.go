package engine

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// describe returns a description of an event for people.
func (x *Execution) describe(e *history.Event) string {
	text := x.describeUnlabelled(e)
	if e.Label == "" {
		return text
	}
	return fmt.Sprintf("%s labelled %q", text, e.Label)
}

func (x *Execution) describeUnlabelled(e *history.Event) string {
	if name, update := e.Update(); update {
		return fmt.Sprintf("%s(update %q %s)", e.Kind, name, e.UpdateStep())
	}
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

// brief returns a payload cut to a length that fits an error text, or its replacement.
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

// panicText returns the text of a panic. Its value can be anything, so if payloads are
// encoded, only texts that cannot quote a payload are shown.
func (x *Execution) panicText(v any) string {
	if x.cfg.Options.Conceal == nil {
		return fmt.Sprint(v)
	}
	if text, ok := panics.Plain(v); ok {
		return text
	}
	return fmt.Sprintf("%T, whose text is not shown because payloads are encoded: %s", v, x.cfg.Options.Conceal([]byte(fmt.Sprint(v))))
}
