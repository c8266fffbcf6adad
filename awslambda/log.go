package awslambda

import (
	"context"
	"io"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/turnstile-go/turnstile/host"
)

// newLogger writes lines in the format that Lambda reads: JSON objects with "level" and, in RFC 3339,
// "timestamp". Lambda treats a line that lacks either, such as a line of metrics, as INFO. Therefore
// the level is filtered here, and template.yaml lets Lambda pass every line: Lambda's own filter at
// WARN would drop the metrics.
//
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
func newLogger(out io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				a.Key = "timestamp"
			}
			return a
		},
	}))
}

// logReceived logs each message of an invocation at debug, without its body, which may have payloads.
func logReceived(ctx context.Context, logger *slog.Logger, records []events.SQSMessage) {
	if !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for i := range records {
		r := &records[i]
		logger.DebugContext(ctx, "message received", "message_id", r.MessageId, "queue", r.EventSourceARN,
			"group", r.Attributes["MessageGroupId"], "receives", r.Attributes["ApproximateReceiveCount"])
	}
}

// commitLog logs at debug what each commit wrote and sent: kinds and ids, without payloads.
type commitLog struct {
	host.NoObserver
	logger *slog.Logger
}

// Committed implements host.Observer.
func (l commitLog) Committed(c host.Committed) {
	ctx := c.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if !l.logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	var actions []string
	for _, a := range c.Actions {
		actions = append(actions, a.Kind)
	}
	for i := range c.Turns {
		t := &c.Turns[i]
		kinds := make([]string, len(t.Events))
		for n := range t.Events {
			kinds[n] = t.Events[n].Kind.String()
		}
		l.logger.DebugContext(ctx, "turn committed", "instance", t.Instance, "execution_id", t.ExecutionID,
			"event_id", t.First(), "events", kinds, "actions", actions)
		actions = nil // actions belong to the whole commit: log them once
	}
}
