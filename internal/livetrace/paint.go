package livetrace

import "github.com/turnstile-go/turnstile/history"

// paint colours text, or leaves it unchanged if colours are off.
type paint bool

func (p paint) code(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string   { return p.code("1", s) }
func (p paint) dim(s string) string    { return p.code("2", s) }
func (p paint) red(s string) string    { return p.code("31", s) }
func (p paint) green(s string) string  { return p.code("32", s) }
func (p paint) yellow(s string) string { return p.code("33", s) }
func (p paint) cyan(s string) string   { return p.code("36", s) }

// kind colours arrivals, operations that the code started, and ends.
func (p paint) kind(k history.Kind, s string) string {
	switch {
	case k == history.OrchestrationCompleted || k == history.OrchestrationContinuedAsNew:
		return p.green(s)
	case k == history.OrchestrationFailed, k == history.ActivityFailed, k == history.SubOrchestrationFailed:
		return p.red(s)
	case k.Arrival():
		return p.cyan(s)
	}
	return s
}
