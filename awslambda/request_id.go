package awslambda

import (
	"context"

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
