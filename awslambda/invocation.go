package awslambda

import (
	"context"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// requestID returns the id of the invocation: the START, END and REPORT lines of the function's log
// have it, and JSON logs have it as "requestId".
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}

// traceID returns the id of the invocation's X-Ray trace, such as 1-5759e988-bd862e3fe1be46a994272793,
// whether it is sampled or not; "" without one.
func traceID(ctx context.Context) string {
	header, _ := ctx.Value("x-amzn-trace-id").(string)
	for part := range strings.SplitSeq(header, ";") {
		if root, found := strings.CutPrefix(strings.TrimSpace(part), "Root="); found {
			return root
		}
	}
	return ""
}

// invocationAttrs returns the attributes of every log line of an invocation: the id of the
// invocation, and what the line concerns, empty if the host has not set that. Lines from the start
// of the process have no attributes.
func invocationAttrs(ctx context.Context) []slog.Attr {
	if _, in := lambdacontext.FromContext(ctx); !in {
		return nil
	}
	return []slog.Attr{
		slog.String("instance", ""), slog.Int64("execution_id", 0), slog.Int64("event_id", 0),
		slog.String("request_id", requestID(ctx)), slog.String("xray_trace_id", traceID(ctx)),
	}
}
