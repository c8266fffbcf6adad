package dynamo

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Items of a split turn are so large that 4 MB are full long before 100 items
// are; the limit is checked all the same.
func TestATransactionOfMoreThanAHundredItemsIsRefused(t *testing.T) {
	t.Parallel()
	s := New(nil, Config{})
	turn := store.Turn{Instance: "order-7", ExecutionID: 1, Token: "a", Events: []history.Event{
		{Kind: history.TimerFired, EventID: 1}, {Kind: history.ExternalEvent, EventID: 2, Name: "page", Payload: []byte(`"x"`)},
	}}
	for _, c := range []struct {
		items  int
		record *store.RecordChange
		want   bool
	}{
		{100, nil, true}, {99, &store.RecordChange{}, true}, {101, nil, false}, {100, &store.RecordChange{}, false},
	} {
		_, err := s.transaction(&store.Commit{Turns: []store.Turn{turn}, Record: c.record}, make([]Item, c.items))
		var large *store.TooLargeError
		if (err == nil) != c.want || err != nil && (!errors.As(err, &large) || large.Limit != "100 items a transaction" || large.EventID != 2) {
			t.Errorf("%d items, with record %v: got %v", c.items, c.record != nil, err)
		}
	}
}

type sink struct{ Client }

func (sink) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return &dynamodb.PutItemOutput{}, nil
}

// BenchmarkCommit is what the store itself adds to one PutItem: a turn of a
// chain, 200 bytes of payload.
func BenchmarkCommit(b *testing.B) {
	s := New(sink{}, Config{})
	payload := make([]byte, 200)
	for i := range payload {
		payload[i] = 'x'
	}
	payload[0], payload[199] = '"', '"'
	c := store.Commit{Turns: []store.Turn{{Instance: "order-7", ExecutionID: 1, Token: "0123456789abcdef", Messaged: true, Events: []history.Event{
		{Kind: history.ActivityCompleted, EventID: 7, SourceEventID: 6, AtMS: 1_772_366_400_000, Payload: payload},
		{Kind: history.ActivityScheduled, EventID: 8, AtMS: 1_772_366_400_000, Name: "Charge", Payload: payload},
	}}}}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
