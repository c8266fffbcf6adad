package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/store"
)

// Describe implements store.Store.
func (s *Store) Describe(ctx context.Context, instance string) (store.Record, error) {
	item, err := getItem(ctx, s.client, &s.config, request{what: "read of the record", instance: instance}, &dynamodb.GetItemInput{
		TableName: &s.config.Tables.Instances, Key: attributes{"instance": text(instance)},
	})
	if err != nil {
		return store.Record{}, err
	}
	if item == nil {
		return store.Record{}, store.NotFound(instance)
	}
	return decodeRecord(item)
}

type itemGetter interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
}

// getItem reads one item, strongly consistent; nil if there is none.
func getItem(ctx context.Context, client itemGetter, config *Config, r request, in *dynamodb.GetItemInput) (item attributes, err error) {
	in.ConsistentRead = aws.Bool(true)
	in.ReturnConsumedCapacity = config.consumed()
	err = config.read(ctx, r, func(ctx context.Context) error {
		out, err := client.GetItem(ctx, in, once)
		if err != nil {
			config.meterRead("GetItem", err, nil)
			return err
		}
		var items []attributes
		if item = out.Item; item != nil {
			items = []attributes{item}
		}
		config.meterRead("GetItem", nil, items, one(out.ConsumedCapacity)...)
		return nil
	})
	return item, err
}
