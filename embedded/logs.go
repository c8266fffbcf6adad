package embedded

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/loglines"
)

// logger returns the logger of the host and of orchestrations. It also keeps lines for a console.
func (e *Runtime) logger() *slog.Logger {
	var base slog.Handler
	if e.opts.logger != nil {
		base = e.opts.logger.Handler()
	}
	return slog.New(e.logs.Handler(base))
}

// consoleLogs returns the kept log lines of an instance.
type consoleLogs struct{ kept *loglines.Kept }

// Logs implements console.LogReader.
func (c consoleLogs) Logs(instance string) (lines []api.LogLine, more bool) {
	kept, more := c.kept.Of(instance)
	for _, l := range kept {
		lines = append(lines, api.LogLine{At: l.At.UTC(), Level: l.Level, Message: l.Message,
			ExecutionID: l.ExecutionID, EventID: l.EventID, Attempt: l.Attempt, Attributes: l.Attributes})
	}
	return lines, more
}

// Kept implements console.LogReader.
func (c consoleLogs) Kept() string { return c.kept.Says() }
