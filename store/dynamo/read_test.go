package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

type attributes = map[string]types.AttributeValue

// splitTurn returns a turn that is stored in several items, and those. It is
// made once, for compressing it takes a while; nobody changes it.
func splitTurn(t *testing.T) (store.Turn, []attributes) {
	t.Helper()
	x, items := split()
	if len(items) < 3 {
		t.Fatalf("%d items, want 3 or more", len(items))
	}
	var all []attributes
	for _, it := range items {
		if it.Size > dynamo.MaxItem {
			t.Fatalf("an item of %d bytes", it.Size)
		}
		all = append(all, it.Attributes)
	}
	return x, all
}

var split = sync.OnceValues(func() (store.Turn, []dynamo.Item) {
	x := oneTurn("split")
	x.Events = nil
	for i := range int64(6) {
		payload := make([]byte, 200_000)
		state := uint32(i + 1)
		for j := range payload {
			state = state*1664525 + 1013904223
			payload[j] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[state>>26]
		}
		payload[0], payload[len(payload)-1] = '"', '"'
		x.Events = append(x.Events, history.Event{Kind: history.ExternalEvent, EventID: 1 + i, AtMS: 1, Name: "page", Payload: payload})
	}
	items, err := dynamo.NewEncoder(dynamo.Config{}).Turn(&x)
	if err != nil {
		panic(err)
	}
	return x, items
})

func TestATransactionMetHalfWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	x, parts := splitTurn(t)
	after := oneTurn("after")
	after.Events = []history.Event{{Kind: history.TimerFired, EventID: 7, SourceEventID: 2, AtMS: 1}}
	last := storedAs(t, after)
	// The first part and what stands behind the turn, but not its middle:
	// pages of one Query may lie on both sides of a transaction.
	half := []attributes{parts[0], last}
	whole := append(append([]attributes(nil), parts...), last)

	for _, c := range []struct {
		name    string
		answers [][]attributes
		corrupt bool
	}{
		{"there when read again", [][]attributes{half, whole}, false},
		{"there when read the third time", [][]attributes{half, half, whole}, false},
		{"a hole that stays is corruption", [][]attributes{half}, true},
		{"a head that is missing is corruption", [][]attributes{{last}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			calls := 0
			f := &fake{t: t, query: func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
				items := c.answers[min(calls, len(c.answers)-1)]
				calls++
				return &dynamodb.QueryOutput{Items: items}, nil
			}}
			turns, err := dynamo.New(f, w.config()).Read(t.Context(), "order-7", 2, 1)
			if c.corrupt {
				var corrupt *store.CorruptError
				if !errors.As(err, &corrupt) || corrupt.EventID != 1 || calls != 3 {
					t.Fatalf("got %v after %d looks, want a CorruptError at event 1 after 3", err, calls)
				}
				return
			}
			if err != nil || len(turns) != 2 || turns[0].Last() != x.Last() || calls != len(c.answers) {
				t.Fatalf("got %d turns, %v after %d looks", len(turns), err, calls)
			}
		})
	}
}

func TestDamagedItemsAreCorruptAndNewerOnesAreNot(t *testing.T) {
	t.Parallel()
	edit := func(f func(attributes)) attributes {
		a := attributes{}
		for k, v := range storedAs(t, oneTurn("a")) {
			a[k] = v
		}
		a["event_id"] = &types.AttributeValueMemberN{Value: "1"}
		f(a)
		return a
	}
	doc := func(s string) func(attributes) {
		return func(a attributes) { a["events"] = &types.AttributeValueMemberS{Value: s} }
	}
	for _, c := range []struct {
		name  string
		item  attributes
		newer bool
	}{
		{"no document", edit(func(a attributes) { delete(a, "events") }), false},
		{"a document that is cut off", edit(doc(`{"v":1,"events":[{"event_id":1,`)), false},
		{"a document without events", edit(doc(`{"v":1,"events":[]}`)), false},
		{"a document that begins in another slot", edit(doc(`{"v":1,"events":[{"event_id":2,"kind":"TimerFired","at_ms":1,"source_event_id":1}]}`)), false},
		{"a document with a gap", edit(doc(`{"v":1,"events":[{"event_id":1,"kind":"TimerFired","at_ms":1},{"event_id":3,"kind":"TimerFired","at_ms":1}]}`)), false},
		{"a document that is a number", edit(func(a attributes) { a["events"] = &types.AttributeValueMemberN{Value: "1"} }), false},
		{"bytes that are no gzip", edit(func(a attributes) { a["events"] = &types.AttributeValueMemberB{Value: []byte("x")} }), false},
		{"gzip that is cut off", edit(func(a attributes) {
			a["events"] = &types.AttributeValueMemberB{Value: []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01")}
		}), false},
		{"cancelled events that are no numbers", edit(func(a attributes) {
			doc(`{"v":1,"events":[{"event_id":1,"kind":"TimerFired","at_ms":1}]}`)(a)
			a["cancelled"] = &types.AttributeValueMemberS{Value: "2,x"}
		}), false},
		{"an event kind of a newer build", edit(doc(`{"v":1,"events":[{"event_id":1,"kind":"Teleported","at_ms":1}]}`)), true},
		{"a format of a newer build", edit(doc(`{"v":2,"events":[]}`)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			f := &fake{t: t, query: func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
				return &dynamodb.QueryOutput{Items: []attributes{c.item}}, nil
			}}
			_, err := dynamo.New(f, w.config()).Read(t.Context(), "order-7", 2, 1)
			var corrupt *store.CorruptError
			if errors.As(err, &corrupt) == c.newer || errors.Is(err, history.ErrNewer) != c.newer {
				t.Fatalf("got %v, want newer: %v, else a CorruptError", err, c.newer)
			}
			if !c.newer && (corrupt.Instance != "order-7" || corrupt.ExecutionID != 2 || corrupt.Reason == "") {
				t.Fatalf("the error does not say where: %+v", corrupt)
			}
		})
	}
}

func TestReadsAreRepeatedWhileTheFaultPasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		errs  []error
		calls int
		want  error
	}{
		{"throttled twice", []error{errThrottled, errThrottled, nil}, 3, nil},
		{"an answer lost", []error{errLost, nil}, 2, nil},
		{"an internal error", []error{errInternal, nil}, 2, nil},
		{"throttled for good", []error{errThrottled}, attempts, store.ErrUnavailable},
		{"answers lost for good: a read has no outcome to be unsure of", []error{errLost}, attempts, store.ErrUnavailable},
		{"access is denied", []error{errDenied}, 1, errDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			next := func() error {
				err := c.errs[min(calls, len(c.errs)-1)]
				calls++
				return err
			}
			f := &fake{t: t,
				query: func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return &dynamodb.QueryOutput{}, next() },
				get: func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
					return &dynamodb.GetItemOutput{Item: attributes{"stop_reason": &types.AttributeValueMemberS{Value: "r"}}}, next()
				},
			}
			var w waits
			config := w.config()
			list := *f // of which the number of shards is read first
			list.get = func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) { return &dynamodb.GetItemOutput{}, nil }
			for name, call := range map[string]func() error{
				"Read":     func() error { _, err := dynamo.New(f, config).Read(t.Context(), "order-7", 1, 1); return err },
				"Describe": func() error { _, err := dynamo.New(f, config).Describe(t.Context(), "order-7"); return err },
				"List":     func() error { _, err := dynamo.New(&list, config).List(t.Context(), store.ListQuery{}); return err },
				"State": func() error {
					_, err := dynamo.NewActivities(f, config).State(t.Context(), store.ActivityKey{Instance: "order-7"})
					return err
				},
			} {
				calls = 0
				err := call()
				if name == "List" && c.want == nil {
					calls -= dynamo.DefaultShards - 1 // the Query of each shard behind the first
				}
				if c.want == nil && err != nil || !errors.Is(err, c.want) || errors.Is(err, store.ErrUnknownOutcome) || calls != c.calls {
					t.Fatalf("%s: got %v after %d attempts, want %v after %d", name, err, calls, c.want, c.calls)
				}
			}
		})
	}
}

func TestWhatABatchLeavesUnprocessedIsAskedForAgain(t *testing.T) {
	t.Parallel()
	var w waits
	config := w.config()
	item := func(i int) attributes {
		r := store.Record{Instance: fmt.Sprintf("order-%d", i), ExecutionID: 1, Status: store.StatusRunning}
		a, err := dynamo.NewEncoder(config).Record(&r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	gets := 0
	f := &fake{t: t,
		get: func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) { return &dynamodb.GetItemOutput{}, nil },
		query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if shard := in.ExpressionAttributeValues[":shard"].(*types.AttributeValueMemberS).Value; shard != "0" {
				return &dynamodb.QueryOutput{}, nil
			}
			return &dynamodb.QueryOutput{Items: []attributes{item(3), item(2), item(1)}}, nil
		},
		batchGet: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			gets++
			keys := in.RequestItems["instances"].Keys
			if want := 4 - gets; len(keys) != want || !aws.ToBool(in.RequestItems["instances"].ConsistentRead) {
				t.Errorf("request %d asks for %d keys, want %d, strongly consistent", gets, len(keys), want)
			}
			// One item an answer.
			out := &dynamodb.BatchGetItemOutput{Responses: map[string][]attributes{"instances": {item(gets)}}}
			if len(keys) > 1 {
				rest := make([]attributes, 0, len(keys))
				for i := gets + 1; i <= 3; i++ {
					rest = append(rest, attributes{"instance": item(i)["instance"]})
				}
				out.UnprocessedKeys = map[string]types.KeysAndAttributes{"instances": {Keys: rest}}
			}
			return out, nil
		},
	}
	page, err := dynamo.New(f, config).List(t.Context(), store.ListQuery{})
	if err != nil || len(page.Records) != 3 || page.Records[0].Instance != "order-3" || gets != 3 {
		t.Fatalf("got %+v, %v after %d requests", page, err, gets)
	}

	slots := []attributes{{"event_id": &types.AttributeValueMemberN{Value: "1"}}, {"event_id": &types.AttributeValueMemberN{Value: "3"}}, {"event_id": &types.AttributeValueMemberN{Value: "5"}}}
	var deleted []string
	f.query = func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		return &dynamodb.QueryOutput{Items: slots[len(deleted):]}, nil
	}
	slot := func(key attributes) string { return key["event_id"].(*types.AttributeValueMemberN).Value }
	f.deleteItem = func(in *dynamodb.DeleteItemInput) (*dynamodb.DeleteItemOutput, error) {
		deleted = append(deleted, slot(in.Key))
		return &dynamodb.DeleteItemOutput{}, nil
	}
	f.batchDelete = func(in *dynamodb.BatchWriteItemInput) (*dynamodb.BatchWriteItemOutput, error) {
		requests := in.RequestItems["history"]
		deleted = append(deleted, slot(requests[0].DeleteRequest.Key))
		return &dynamodb.BatchWriteItemOutput{UnprocessedItems: map[string][]types.WriteRequest{"history": requests[1:]}}, nil
	}
	done, err := dynamo.New(f, config).DeleteHistory(t.Context(), "order-7", 1, 0)
	if err != nil || !done || fmt.Sprint(deleted) != "[1 3 5]" {
		t.Fatalf("got %v, %v; deleted %v, want event 1 first and on its own, then 3 and 5", done, err, deleted)
	}
}

func TestNoRequestIsMadeForACommitThatIsTooLarge(t *testing.T) {
	t.Parallel()
	var w waits
	s := dynamo.New(&fake{t: t}, w.config()) // any call panics
	one := oneTurn("large")
	one.Events[0] = history.Event{Kind: history.ActivityCompleted, EventID: 3, SourceEventID: 2, Payload: make([]byte, 0)}
	big, _ := splitTurn(t)
	for len(one.Events[0].Payload) < 700_000 {
		one.Events[0].Payload = append(one.Events[0].Payload, big.Events[len(one.Events[0].Payload)/200_000].Payload[1:199_000]...)
	}
	one.Events[0].Payload = append(append([]byte{'"'}, one.Events[0].Payload...), '"')
	var large *store.TooLargeError
	if err := s.Commit(context.Background(), store.Commit{Turns: []store.Turn{one}}); !errors.As(err, &large) || large.EventID != 3 || large.Limit != "400 KB an item" {
		t.Fatalf("got %v, want a TooLargeError about event 3", err)
	}
}
