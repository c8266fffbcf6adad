package dynamo_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// fake is a transport that answers as it is told. A nil function is a call
// that the test does not expect.
type fake struct {
	t *testing.T

	put         func(context.Context, *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error)
	update      func(*dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error)
	deleteItem  func(*dynamodb.DeleteItemInput) (*dynamodb.DeleteItemOutput, error)
	get         func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error)
	query       func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
	transact    func(*dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error)
	transactGet func(*dynamodb.TransactGetItemsInput) (*dynamodb.TransactGetItemsOutput, error)
	batchGet    func(*dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error)
	batchDelete func(*dynamodb.BatchWriteItemInput) (*dynamodb.BatchWriteItemOutput, error)
}

func (f *fake) checkOnce(opts []func(*dynamodb.Options)) {
	f.t.Helper()
	var o dynamodb.Options
	for _, opt := range opts {
		opt(&o)
	}
	if _, ok := o.Retryer.(aws.NopRetryer); !ok {
		f.t.Error("the SDK's own retries are on: they hide that an earlier attempt may have landed")
	}
}

func (f *fake) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	f.checkOnce(opts)
	return f.put(ctx, in)
}

func (f *fake) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	f.checkOnce(opts)
	return f.update(in)
}

func (f *fake) DeleteItem(_ context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	f.checkOnce(opts)
	return f.deleteItem(in)
}

func (f *fake) GetItem(_ context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	f.checkOnce(opts)
	if !aws.ToBool(in.ConsistentRead) {
		f.t.Error("a read that is not strongly consistent")
	}
	return f.get(in)
}

func (f *fake) Query(_ context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	f.checkOnce(opts)
	if in.IndexName == nil && !aws.ToBool(in.ConsistentRead) {
		f.t.Error("a read that is not strongly consistent")
	}
	return f.query(in)
}

func (f *fake) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	f.checkOnce(opts)
	return f.transact(in)
}

func (f *fake) TransactGetItems(_ context.Context, in *dynamodb.TransactGetItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	f.checkOnce(opts)
	return f.transactGet(in)
}

func (f *fake) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	f.checkOnce(opts)
	return f.batchGet(in)
}

func (f *fake) BatchWriteItem(_ context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	f.checkOnce(opts)
	return f.batchDelete(in)
}

// waits are the pauses between attempts, in virtual time.
type waits struct{ delays []time.Duration }

func (w *waits) config() dynamo.Config {
	random := uint64(0)
	return dynamo.Config{
		Tables: dynamo.Tables{History: "history", Instances: "instances", Activities: "activities", Keys: "keys"},
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.delays = append(w.delays, d)
			return ctx.Err()
		},
		Random: func() uint64 { random += 0x9e3779b97f4a7c15; return random },
	}
}

const attempts = dynamo.DefaultAttempts

func oneTurn(token string) store.Turn {
	return store.Turn{Instance: "order-7", ExecutionID: 2, Token: token, Messaged: true, Events: []history.Event{
		{Kind: history.TimerFired, EventID: 3, SourceEventID: 2, AtMS: 1_772_366_400_000, FireAtMS: 1_772_366_400_000},
	}}
}

// storedAs is what the turn's first item looks like when it is found.
func storedAs(t *testing.T, turn store.Turn) map[string]types.AttributeValue {
	t.Helper()
	items, err := dynamo.NewEncoder(dynamo.Config{}).Turn(&turn)
	if err != nil {
		t.Fatal(err)
	}
	return items[0].Attributes
}

func ptr[T any](v T) *T { return &v }
