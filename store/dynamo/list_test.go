package dynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// An index finds by status or by name: the other is looked up in the records, of
// which there may be millions.
func TestAListByStatusAndNameReadsABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	readsABoundedNumberOfRecords(t, store.ListQuery{Name: "Fulfil", Status: store.StatusFailed, PageSize: 10})
}

// Nor does one find by words, version or parent.
func TestAListThatScansReadsABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	for _, q := range []store.ListQuery{{Name: "Fulfil", Words: "declined"}, {Name: "Fulfil", Version: "2"}, {Name: "Fulfil", Parent: "survey"}} {
		q.PageSize = 10
		readsABoundedNumberOfRecords(t, q)
	}
}

func readsABoundedNumberOfRecords(t *testing.T, q store.ListQuery) {
	t.Helper()
	var w waits
	config := w.config()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	item := func(instance string) attributes {
		r := store.Record{Instance: instance, ExecutionID: 1, Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: at, UpdatedAt: at}
		a, err := dynamo.NewEncoder(config).Record(&r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	given, read := 1_000_000, 0
	f := &fake{t: t,
		get: func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) { return &dynamodb.GetItemOutput{}, nil },
		query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if shard := in.ExpressionAttributeValues[":shard"].(*types.AttributeValueMemberS).Value; shard != "Fulfil#0" {
				return &dynamodb.QueryOutput{}, nil
			}
			out := &dynamodb.QueryOutput{LastEvaluatedKey: attributes{"more": &types.AttributeValueMemberBOOL{}}}
			for range *in.Limit {
				given--
				out.Items = append(out.Items, item(fmt.Sprintf("order-%07d", given)))
			}
			return out, nil
		},
		batchGet: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			out := &dynamodb.BatchGetItemOutput{Responses: map[string][]attributes{}}
			for _, key := range in.RequestItems["instances"].Keys {
				read++
				out.Responses["instances"] = append(out.Responses["instances"], item(key["instance"].(*types.AttributeValueMemberS).Value))
			}
			return out, nil
		},
	}
	page, err := dynamo.New(f, config).List(t.Context(), q)
	if err != nil || len(page.Records) != 0 || page.NextPageToken == "" || read < 1000 || read > 1100 {
		t.Errorf("%+v: %d records were read for a page of %d, more %q, %v", q, read, len(page.Records), page.NextPageToken, err)
	}
}

// No index finds ids by how they begin: keys are looked at, a bounded number, and
// only the records of those that match are read.
func TestAListOfIdsWithAPrefixLooksAtABoundedNumberOfKeys(t *testing.T) {
	t.Parallel()
	given, read := 1_000_000, 0
	f := &fake{t: t,
		get: func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) { return &dynamodb.GetItemOutput{}, nil },
		query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out := &dynamodb.QueryOutput{}
			if shard := in.ExpressionAttributeValues[":shard"].(*types.AttributeValueMemberS).Value; shard != "0" {
				return out, nil
			}
			for range *in.Limit {
				given--
				out.Items = append(out.Items, attributes{"list_key": &types.AttributeValueMemberS{Value: fmt.Sprintf("1900000000000#order-%07d", given)}})
			}
			out.LastEvaluatedKey = attributes{"more": &types.AttributeValueMemberBOOL{}}
			return out, nil
		},
		batchGet: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			read += len(in.RequestItems["instances"].Keys)
			return &dynamodb.BatchGetItemOutput{}, nil
		},
	}
	var w waits
	page, err := dynamo.New(f, w.config()).List(t.Context(), store.ListQuery{Prefix: "order-09951", PageSize: 10})
	looked := 1_000_000 - given
	if err != nil || len(page.Records) != 0 || page.NextPageToken == "" || looked < 10_000 || looked > 12_100 || read != 100 {
		t.Errorf("%d keys were looked at and %d records read for a page of %d, more %q, %v", looked, read, len(page.Records), page.NextPageToken, err)
	}
}
