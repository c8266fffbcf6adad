package awslambda

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// withThrottlesCounted returns cfg with clients that count every attempt at a request that AWS
// throttles, before any retry hides it. One count serves all tables and their indexes: an index
// that does not keep up throttles the writes to its table
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/gsi-throttling.html). In
// CloudWatch each table and each index has separate metrics, so watching all of them would cost one
// alarm for each.
func withThrottlesCounted(cfg aws.Config, count func(operation string)) aws.Config {
	cfg = cfg.Copy()
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// The step around parsing a response runs once per attempt.
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("TurnstileCountThrottles",
			func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
				out, metadata, err := next.HandleDeserialize(ctx, in)
				if throttled(out.Result, err) {
					count(awsmiddleware.GetServiceID(ctx) + " " + awsmiddleware.GetOperationName(ctx))
				}
				return out, metadata, err
			}), middleware.Before)
	})
	return cfg
}

// throttled also recognizes two responses of DynamoDB that the SDK does not treat as throttling: a
// transaction cancelled because of the rate of one of its items, and a batch of which some items were
// not written.
func throttled(result any, err error) bool {
	if batch, ok := result.(*dynamodb.BatchWriteItemOutput); ok && err == nil {
		return len(batch.UnprocessedItems) > 0
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		for _, r := range cancelled.CancellationReasons {
			if code := aws.ToString(r.Code); code == "ThrottlingError" || code == "ProvisionedThroughputExceeded" {
				return true
			}
		}
		return false
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "TransactionInProgressException": // an earlier attempt at the same request, not throttling
		return false
	case "KmsThrottled", "KMS.ThrottlingException": // of a queue with a customer key
		return true
	}
	return retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err) == aws.TrueTernary
}
