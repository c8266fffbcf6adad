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

// withThrottlesCounted returns cfg, whose clients count every attempt at a
// request that AWS refuses because there are too many, before any retry hides
// it. One count serves all tables and their indexes: an index that does not
// keep up throttles the writes of its table
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/gsi-throttling.html),
// while in CloudWatch each table and each index has metrics of its own, and an
// alarm on all of them costs as many.
func withThrottlesCounted(cfg aws.Config, count func(operation string)) aws.Config {
	cfg = cfg.Copy()
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// The step around the parsing of an answer, once an attempt.
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

// throttled also knows the two answers of DynamoDB that the SDK takes for
// something else: a transaction cancelled for the rate of one of its items, and
// a batch of which some items were not written.
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
	case "TransactionInProgressException": // an earlier attempt at the same, not the rate
		return false
	case "KmsThrottled", "KMS.ThrottlingException": // of a queue with a customer key
		return true
	}
	return retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err) == aws.TrueTernary
}
