package embedded

import (
	"log/slog"

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
func (c consoleLogs) Logs(instance string) (lines []loglines.Line, more bool) {
	return c.kept.Of(instance)
}

// Kept implements console.LogReader.
func (c consoleLogs) Kept() string { return c.kept.Says() }
