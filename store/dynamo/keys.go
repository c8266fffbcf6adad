package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/turnstile-go/turnstile/store"
)

// Keys implements store.Keys on a separate DynamoDB table that only the orchestrator's role may read:
// one item per key, with its id in key_id and its 32 bytes in secret. Permissions: dynamodb:GetItem and
// dynamodb:PutItem.
type Keys struct {
	client KeysClient
	config Config
}

var _ store.Keys = (*Keys)(nil)

// KeysClient has the methods of *dynamodb.Client that Keys calls.
type KeysClient interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

// NewKeys returns the keys table of config.Tables. It makes no request.
func NewKeys(client KeysClient, config Config) *Keys {
	return &Keys{client: client, config: config.withDefaults()}
}

// Key implements store.Keys. A temporary fault is a store.ErrUnavailable.
func (k *Keys) Key(ctx context.Context, id string) ([]byte, error) {
	r := request{what: fmt.Sprintf("read of key %q", id)}
	item, err := getItem(ctx, k.client, &k.config, r, &dynamodb.GetItemInput{TableName: &k.config.Tables.Keys, Key: attributes{"key_id": text(id)}})
	if err != nil {
		return nil, err
	}
	return secretOf(item), nil
}

// Create implements store.Keys. Repeating it is harmless: a put whose response was lost finds its
// own key.
func (k *Keys) Create(ctx context.Context, id string, key []byte) ([]byte, error) {
	r := request{what: fmt.Sprintf("creation of key %q", id)}
	kept := key
	err := k.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := k.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                           &k.config.Tables.Keys,
			Item:                                attributes{"key_id": text(id), "secret": &types.AttributeValueMemberB{Value: key}},
			ConditionExpression:                 aws.String("attribute_not_exists(key_id)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
			ReturnConsumedCapacity:              k.config.consumed(),
		}, once)
		if err == nil {
			k.config.meterWrite("PutItem", nil, 1, len(key), one(out.ConsumedCapacity)...)
			return verdict{kind: settled}
		}
		k.config.meterWrite("PutItem", err, 0, 0)
		var exists *types.ConditionalCheckFailedException
		if errors.As(err, &exists) {
			kept = secretOf(exists.Item)
			return verdict{kind: settled}
		}
		return unsettled(r, err)
	})
	return kept, err
}

// secretOf returns nil if there is no item. An item without a secret has an empty one, which is not a
// valid key.
func secretOf(item attributes) []byte {
	if item == nil {
		return nil
	}
	if b, ok := item["secret"].(*types.AttributeValueMemberB); ok && b.Value != nil {
		return b.Value
	}
	return []byte{}
}
