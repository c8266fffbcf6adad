package console

import (
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/loglines"
)

// LogReader has the last lines of the program's log.
type LogReader interface {
	// Logs returns the lines about an instance, oldest first; more reports whether there were
	// earlier ones.
	Logs(instance string) (lines []loglines.Line, more bool)
	// Kept describes which lines are kept, and for how long.
	Kept() string
}

// WithLogs makes the console show the log lines about an instance, if this process has them. By
// default it shows none.
func WithLogs(r LogReader) Option { return option(func(o *options) { o.logs = r }) }

// instanceLogs returns the log lines about an instance. It does not read the store.
func (h *handler) instanceLogs(r *request) (api.Logs, error) {
	if h.logs == nil {
		return api.Logs{}, api.Errorf(api.CodeNotOffered, "the instances' log is not in this process; on AWS it is in CloudWatch Logs")
	}
	out := api.Logs{Instance: r.vars["id"], Lines: []loglines.Line{}, Kept: h.logs.Kept()}
	lines, more := h.logs.Logs(out.Instance)
	out.Lines, out.More = append(out.Lines, lines...), more
	return out, nil
}
