package awslambda

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestWhatDynamoDBRefusesForTheRateOfSomeItemsIsAThrottleToo(t *testing.T) {
	t.Parallel()
	cancelled := func(codes ...string) error {
		e := &types.TransactionCanceledException{}
		for _, c := range codes {
			e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(c)})
		}
		return e
	}
	left := map[string][]types.WriteRequest{"history": {{}}}
	for _, tt := range []struct {
		name   string
		result any
		err    error
		want   bool
	}{
		{"a transaction, by one item's rate", nil, cancelled("None", "ThrottlingError"), true},
		{"a transaction, by one item's capacity", nil, cancelled("ProvisionedThroughputExceeded"), true},
		{"a transaction, by a condition", nil, cancelled("ConditionalCheckFailed"), false},
		{"a batch that is written", &dynamodb.BatchWriteItemOutput{}, nil, false},
		{"a batch that is partly written", &dynamodb.BatchWriteItemOutput{UnprocessedItems: left}, nil, true},
		{"the same transaction under way", nil, &types.TransactionInProgressException{}, false},
		{"no answer", nil, errors.New("connection reset"), false},
	} {
		if got := throttled(tt.result, tt.err); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
