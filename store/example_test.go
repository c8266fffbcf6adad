package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// A commit of two events that begin an instance. Of two writers, the second loses.
func ExampleStore() {
	var tables store.Store = memory.New() // or that of package store/dynamo, or of module sqlite
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	start := func(token string) error {
		events := []history.Event{
			{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: now.UnixMilli(), Payload: []byte(`{}`), Start: &history.Start{StartID: "s"}},
			{EventID: 2, Kind: history.ActivityScheduled, Name: "Charge", AtMS: now.UnixMilli(), Payload: []byte(`{}`)},
		}
		running := store.StatusRunning
		return tables.Commit(context.Background(), store.Commit{
			Turns:  []store.Turn{{Instance: "order-17", ExecutionID: 1, Events: events, Token: token}},
			Record: &store.RecordChange{Create: &store.Record{Instance: "order-17", Name: "Fulfil", ExecutionID: 1, Status: running, StartID: "s", CreatedAt: now, UpdatedAt: now}},
		})
	}
	fmt.Println(start("one"), errors.Is(start("another"), store.ErrConflict))
	turns, err := tables.Read(context.Background(), "order-17", 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range turns[0].Events {
		fmt.Println(e.EventID, e.Kind)
	}
	// Output:
	// <nil> true
	// 1 OrchestrationStarted
	// 2 ActivityScheduled
}
