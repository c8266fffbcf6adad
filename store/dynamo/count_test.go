package dynamo_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// index is a fake of the keys in an index: how many each partition has.
func index(t *testing.T, size map[string]int) (f *fake, read *int) {
	read = new(int)
	return &fake{t: t,
		get: func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) { return &dynamodb.GetItemOutput{}, nil },
		query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if in.Select != types.SelectCount || aws.ToString(in.IndexName) != "by_status" {
				t.Errorf("the query %+v reads more than keys", in)
			}
			from := 0
			if in.ExclusiveStartKey != nil {
				from = len(in.ExclusiveStartKey["place"].(*types.AttributeValueMemberS).Value)
			}
			left := size[in.ExpressionAttributeValues[":shard"].(*types.AttributeValueMemberS).Value] - from
			n := min(left, int(*in.Limit))
			*read += n
			out := &dynamodb.QueryOutput{Count: int32(n)}
			// As DynamoDB does, also where the limit was met by the last key.
			if n == int(*in.Limit) {
				out.LastEvaluatedKey = attributes{"place": &types.AttributeValueMemberS{Value: string(make([]byte, from+n))}}
			}
			return out, nil
		},
	}, read
}

func TestInstancesAreCountedByTheirKeysUpToABound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size map[string]int
		most int
		want map[store.Status]int
		more bool
		read int
	}{
		"none":                       {nil, 100, map[store.Status]int{}, false, 0},
		"few":                        {map[string]int{"running#0": 3, "running#7": 1, "stuck#2": 2}, 100, map[store.Status]int{"running": 4, "stuck": 2}, false, 6},
		"all in one shard, all read": {map[string]int{"completed#5": 99}, 100, map[store.Status]int{"completed": 99}, false, 99},
		"more than the bound":        {map[string]int{"completed#0": 500, "completed#1": 500, "completed#2": 500}, 100, nil, true, 110},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w waits
			f, read := index(t, c.size)
			counts, more, err := dynamo.New(f, w.config()).CountByStatus(t.Context(), store.ListQuery{}, c.most)
			if err != nil || *read > c.read {
				t.Errorf("%d keys are read, want %d at most: %v", *read, c.read, err)
			}
			if c.more {
				if n := counts[store.StatusCompleted]; n < c.most || n > c.most+8 || !maps.Equal(more, map[store.Status]bool{"completed": true}) {
					t.Errorf("it counts %v, more %v", counts, more)
				}
			} else if !maps.Equal(counts, c.want) || len(more) > 0 {
				t.Errorf("it counts %v, more %v; want %v", counts, more, c.want)
			}
		})
	}
}

func TestWhatNoIndexCountsIsRefused(t *testing.T) {
	t.Parallel()
	var w waits
	f, read := index(t, map[string]int{"running#1": 5, "failed#1": 3})
	s := dynamo.New(f, w.config())
	if _, _, err := s.CountByStatus(t.Context(), store.ListQuery{Name: "Fulfil"}, 10); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("by name: %v", err)
	}
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	if counts, _, err := s.CountByStatus(t.Context(), store.ListQuery{From: at, To: at}, 10); err != nil || len(counts) > 0 || *read > 0 {
		t.Errorf("of no time: %v, %v", counts, err)
	}
	if counts, _, err := s.CountByStatus(t.Context(), store.ListQuery{Status: store.StatusFailed}, 10); err != nil || !maps.Equal(counts, map[store.Status]int{"failed": 3}) {
		t.Errorf("of one status: %v, %v", counts, err)
	}
}
