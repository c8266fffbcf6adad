package awslambda

import (
	"context"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// requestID is the id that Lambda gave the invocation: its START, END and REPORT
// lines have it in the function's log, and "requestId" in JSON logs.
func requestID(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}

// traceID is the id of the X-Ray trace that the invocation belongs to, such as
// 1-5759e988-bd862e3fe1be46a994272793, whether it is sampled or not; "" without
// one.
func traceID(ctx context.Context) string {
	header, _ := ctx.Value("x-amzn-trace-id").(string)
	for part := range strings.SplitSeq(header, ";") {
		if root, found := strings.CutPrefix(strings.TrimSpace(part), "Root="); found {
			return root
		}
	}
	return ""
}

// invocationAttrs are what every line of an invocation has: which one it is, and
// what it is about, empty where the host has not said it. Lines from the start of
// the process have none.
func invocationAttrs(ctx context.Context) []slog.Attr {
	if _, in := lambdacontext.FromContext(ctx); !in {
		return nil
	}
	return []slog.Attr{
		slog.String("instance", ""), slog.Int64("execution_id", 0), slog.Int64("event_id", 0),
		slog.String("request_id", requestID(ctx)), slog.String("xray_trace_id", traceID(ctx)),
	}
}
