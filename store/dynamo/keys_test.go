package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// keysTable answers as DynamoDB would with a keys table.
func keysTable(t *testing.T) (f *fake, items map[string]map[string]types.AttributeValue) {
	items = map[string]map[string]types.AttributeValue{}
	id := func(item map[string]types.AttributeValue) string {
		return item["key_id"].(*types.AttributeValueMemberS).Value
	}
	return &fake{
		t: t,
		get: func(in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
			if *in.TableName != "keys" {
				t.Errorf("reads table %s", *in.TableName)
			}
			return &dynamodb.GetItemOutput{Item: items[id(in.Key)]}, nil
		},
		put: func(_ context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
			if *in.TableName != "keys" || aws.ToString(in.ConditionExpression) != "attribute_not_exists(key_id)" {
				t.Errorf("puts into %s if %q", *in.TableName, aws.ToString(in.ConditionExpression))
			}
			if found := items[id(in.Item)]; found != nil {
				return nil, &types.ConditionalCheckFailedException{Item: found}
			}
			items[id(in.Item)] = in.Item
			return &dynamodb.PutItemOutput{}, nil
		},
	}, items
}

func TestAKeyIsCreatedOnceAndNeverReplaced(t *testing.T) {
	t.Parallel()
	f, _ := keysTable(t)
	keys := dynamo.NewKeys(f, (&waits{}).config())
	first, second := bytes.Repeat([]byte{1}, keyring.KeySize), bytes.Repeat([]byte{2}, keyring.KeySize)
	if key, err := keys.Key(t.Context(), "1"); key != nil || err != nil {
		t.Fatalf("a key that is not there: %v, %v", key, err)
	}
	for i, given := range [][]byte{first, second} {
		if kept, err := keys.Create(t.Context(), "1", given); err != nil || !bytes.Equal(kept, first) {
			t.Errorf("creation %d keeps %v, %v; want the first", i, kept, err)
		}
	}
	if key, err := keys.Key(t.Context(), "1"); err != nil || !bytes.Equal(key, first) {
		t.Errorf("read: %v, %v", key, err)
	}
}

func TestAKeyWhoseAnswerWasLostIsFoundByTheRepeat(t *testing.T) {
	t.Parallel()
	f, items := keysTable(t)
	put, lost := f.put, 0
	f.put = func(ctx context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
		out, err := put(ctx, in)
		if lost++; lost == 1 {
			return nil, errors.New("connection reset by peer")
		}
		return out, err
	}
	ring, err := keyring.New(keyring.Config{Keys: dynamo.NewKeys(f, (&waits{}).config())})
	if err != nil {
		t.Fatal(err)
	}
	if err := ring.Ready(t.Context()); err != nil || len(items) != 1 || lost != 2 {
		t.Fatalf("%v; %d keys after %d puts", err, len(items), lost)
	}
	other, err := keyring.New(keyring.Config{Keys: dynamo.NewKeys(f, (&waits{}).config())})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Ready(t.Context()); err != nil || !other.Proves(ring.Token("a", 1, 2, 3), "a", 1, 2) {
		t.Errorf("the process uses another key than the one that is kept: %v", err)
	}
}

func TestTroubleWithTheKeysTableIsUnavailable(t *testing.T) {
	t.Parallel()
	f, _ := keysTable(t)
	f.get = func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
		return nil, &types.ProvisionedThroughputExceededException{}
	}
	if _, err := dynamo.NewKeys(f, (&waits{}).config()).Key(t.Context(), "1"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("throttled: %v", err)
	}
}

func TestKeysOnDynamoDBLocal(t *testing.T) {
	t.Parallel()
	l := openLocal(t, nil)
	var tokens []string
	for range 2 {
		ring, err := keyring.New(keyring.Config{Keys: dynamo.NewKeys(l.client, l.config)})
		if err != nil {
			t.Fatal(err)
		}
		if err := ring.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, ring.Token("a", 1, 2, 3))
	}
	if tokens[0] != tokens[1] {
		t.Error("two processes have different keys")
	}
}
