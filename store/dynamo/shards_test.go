package dynamo_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// shardItem is a fake of the item that has the number of shards, and of starts.
type shardItem struct {
	fake
	// recorded number; 0 for no item.
	recorded int
	// asked are the requests, in a word each, and the shards that were listed.
	asked   []string
	queried map[string]bool
	// fails are the errors of the next requests about the item.
	fails []error
}

func newShardItem(t *testing.T, recorded int) *shardItem {
	s := &shardItem{recorded: recorded, queried: map[string]bool{}}
	fail := func() error {
		if len(s.fails) == 0 {
			return nil
		}
		err := s.fails[0]
		s.fails = s.fails[1:]
		return err
	}
	s.fake = fake{t: t,
		get: func(in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
			s.asked = append(s.asked, "read")
			if key := in.Key["instance"].(*types.AttributeValueMemberS).Value; key != "\x1findex_shards" || aws.ToString(in.TableName) != "instances" {
				t.Errorf("reads %q of %s", key, aws.ToString(in.TableName))
			}
			if s.recorded == 0 {
				return &dynamodb.GetItemOutput{}, fail()
			}
			return &dynamodb.GetItemOutput{Item: attributes{"shards": &types.AttributeValueMemberN{Value: strconv.Itoa(s.recorded)}}}, fail()
		},
		update: func(in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
			s.asked = append(s.asked, "record")
			n, _ := strconv.Atoi(in.ExpressionAttributeValues[":n"].(*types.AttributeValueMemberN).Value)
			if err := fail(); err != nil {
				return nil, err
			}
			if s.recorded >= n {
				return nil, &types.ConditionalCheckFailedException{}
			}
			s.recorded = n
			return &dynamodb.UpdateItemOutput{}, nil
		},
		transact: func(in *dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
			s.asked = append(s.asked, "start")
			return &dynamodb.TransactWriteItemsOutput{}, nil
		},
		query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			s.queried[in.ExpressionAttributeValues[":shard"].(*types.AttributeValueMemberS).Value] = true
			return &dynamodb.QueryOutput{}, nil
		},
	}
	return s
}

func start(t *testing.T, s store.Store, instance string) error {
	x := oneTurn("start")
	x.Instance = instance
	r := store.Record{Instance: instance, ExecutionID: 2, Name: "Fulfil", Status: store.StatusRunning}
	return s.Commit(t.Context(), store.Commit{Turns: []store.Turn{x}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}})
}

func TestALargerNumberOfShardsIsRecordedBeforeItIsWrittenWith(t *testing.T) {
	t.Parallel()
	lost := errLost
	for _, c := range []struct {
		name                 string
		configured, recorded int
		fails                []error
		want                 []string
		after                int
	}{
		{"the default asks for nothing", 0, 0, nil, []string{"start", "start"}, 0},
		{"fewer than the default are the default", 3, 0, nil, []string{"start", "start"}, 0},
		{"the first with more", 16, 0, nil, []string{"read", "record", "start", "start"}, 16},
		{"more than were recorded", 16, 12, nil, []string{"read", "record", "start", "start"}, 16},
		{"as many as were recorded", 16, 16, nil, []string{"read", "start", "start"}, 16},
		{"fewer than were recorded", 16, 32, nil, []string{"read", "start", "start"}, 32},
		{"more than can be", 1000, 0, nil, []string{"read", "record", "start", "start"}, 64},
		{"throttled, and an answer lost", 16, 0, []error{errThrottled, nil, errThrottled, lost}, []string{"read", "read", "record", "record", "record", "start", "start"}, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newShardItem(t, c.recorded)
			f.fails = c.fails
			var w waits
			config := w.config()
			config.Shards = c.configured
			s := dynamo.New(f, config)
			for i := range 2 {
				if err := start(t, s, fmt.Sprintf("order-%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(f.asked, c.want) || f.recorded != c.after {
				t.Errorf("asked %v, want %v; recorded %d, want %d", f.asked, c.want, f.recorded, c.after)
			}
		})
	}
	t.Run("nothing is written where it cannot be recorded", func(t *testing.T) {
		t.Parallel()
		f := newShardItem(t, 0)
		f.fails = slices.Repeat([]error{errThrottled}, attempts)
		var w waits
		config := w.config()
		config.Shards = 16
		s := dynamo.New(f, config)
		if err := start(t, s, "order-7"); !errors.Is(err, store.ErrUnavailable) || slices.Contains(f.asked, "start") {
			t.Fatalf("got %v after %v", err, f.asked)
		}
		if err := start(t, s, "order-7"); err != nil || f.recorded != 16 {
			t.Fatalf("the next try: %v, recorded %d", err, f.recorded)
		}
	})
}

func TestAListReadsAsManyShardsAsThereEverWere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ configured, recorded, want int }{
		{0, 0, 8}, {16, 0, 16}, {0, 16, 16}, {8, 64, 64}, {32, 16, 32},
	} {
		f := newShardItem(t, c.recorded)
		var w waits
		config := w.config()
		config.Shards = c.configured
		if _, err := dynamo.New(f, config).List(t.Context(), store.ListQuery{}); err != nil {
			t.Fatal(err)
		}
		if len(f.queried) != c.want || !f.queried[strconv.Itoa(c.want-1)] {
			t.Errorf("configured %d, recorded %d: reads %d shards, want %d", c.configured, c.recorded, len(f.queried), c.want)
		}
	}
	for _, bad := range []int{1, 65, -3} {
		f := newShardItem(t, bad)
		var w waits
		if _, err := dynamo.New(f, w.config()).List(t.Context(), store.ListQuery{}); err == nil || len(f.queried) > 0 {
			t.Errorf("recorded %d: got %v, want an error that says what the item should hold", bad, err)
		}
	}
}

// On DynamoDB Local: instances are started with 8, 16, 5 and 64 shards, by as many
// processes, and everybody lists all of them, by time, status and name.
func TestNoInstanceIsHiddenByAChangedNumberOfShards(t *testing.T) {
	t.Parallel()
	first := openLocal(t, nil)
	var stores []*dynamo.Store
	for _, n := range []int{8, 16, 5, 64, 0} {
		config := first.config
		config.Shards = n
		stores = append(stores, dynamo.New(first.client, config))
	}
	started := 0
	for i, s := range stores {
		for range 12 {
			if err := start(t, s, fmt.Sprintf("order-%d", started)); err != nil {
				t.Fatal(err)
			}
			started++
		}
		for j, by := range stores {
			for _, q := range []store.ListQuery{{}, {Status: store.StatusRunning}, {Name: "Fulfil"}} {
				q.PageSize = 7
				got := 0
				for {
					page, err := by.List(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					got += len(page.Records)
					if q.PageToken = page.NextPageToken; q.PageToken == "" {
						break
					}
				}
				if got != started {
					t.Errorf("behind writer %d, store %d lists %d of %d by %+v", i, j, got, started, q)
				}
			}
		}
	}
}
