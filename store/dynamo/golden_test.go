package dynamo_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// plainItem is an item as `aws dynamodb get-item` prints it.
func plainItem(a attributes) map[string]any {
	m := map[string]any{}
	for k, v := range a {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			m[k] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			m[k] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberBOOL:
			m[k] = map[string]any{"BOOL": v.Value}
		case *types.AttributeValueMemberB:
			m[k] = map[string]any{"B": "gzip"} // its bytes are compress/gzip's affair
		}
	}
	return m
}

func TestItemsAreWrittenAsTheGoldenFileSays(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)
	full := store.Turn{
		Instance: "order-7", ExecutionID: 12, Token: "0123456789abcdef", Messaged: true, Parked: true, Cancelled: []int64{2, 5},
		Events: []history.Event{
			{Kind: history.ActivityCompleted, EventID: 7, SourceEventID: 3, AtMS: at.UnixMilli(), Payload: []byte(`{ "paid": "12.50 €" }`)},
			{Kind: history.TimerCreated, EventID: 8, AtMS: at.UnixMilli(), FireAtMS: at.UnixMilli() + 60_000, DurationMS: 60_000},
		},
	}
	long := oneTurn("long")
	long.Events[0] = history.Event{Kind: history.ExternalEvent, EventID: 3, Name: "page", Payload: []byte(`"` + string(bytes.Repeat([]byte("x"), 9000)) + `"`)}
	record := store.Record{
		Instance: "order-7", ExecutionID: 12, StartID: "start-1", Name: "Fulfil", Version: "1.10", Status: store.StatusStuck,
		CreatedAt: at, UpdatedAt: at.Add(time.Second), FirstExecution: 9, States: []byte(`{"step":"ship"}`), Codec: "aes",
		Failure: &history.Failure{Kind: history.FailureApplication, Message: "no stock", Details: []byte(`{"sku": 7}`)},
		Parent:  &history.Parent{Instance: "cart-1", ExecutionID: 1, EventID: 4, Token: "00ff"},
		Problem: &store.Problem{Kind: "panic", Message: "index out of range", EventID: 7, SinceMS: at.UnixMilli(), Tries: 2},
		Suspect: "message-1", Stamp: 3,
		SearchAttributes: history.SearchAttributes{"customer": history.SearchTextOf("c: 1"), "total": history.SearchNumberOf(99.5), "due": history.SearchTimeOf(at)},
	}
	room := store.Record{
		Instance: "order-8", ExecutionID: 1, FirstExecution: 1, StartID: "start-2", Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: at, UpdatedAt: at,
		Codec: "blob/s3", Output: []byte(`"czM6Ly9idWNrZXQva2V5"`),
		Origin: &history.Origin{Instance: "order-7", ExecutionID: 12, EventID: 7}, FairnessGroup: "tenant-1",
	}
	ended := record
	ended.Status, ended.EndedAt, ended.Output, ended.Problem = store.StatusCompleted, at.Add(time.Minute), []byte(`"done"`), nil

	e := dynamo.NewEncoder(dynamo.Config{})
	golden := map[string]any{}
	for name, turn := range map[string]store.Turn{"history: a turn": full, "history: a plain turn": oneTurn("abc"), "history: a long turn, compressed": long} {
		items, err := e.Turn(&turn)
		if err != nil || len(items) != 1 {
			t.Fatalf("%s: %d items, %v", name, len(items), err)
		}
		golden[name] = plainItem(items[0].Attributes)
	}
	_, parts := splitTurn(t)
	for i, name := range []string{"history: part 1", "history: part 2"} {
		part := plainItem(parts[i])
		part["events"] = "…"
		golden[name] = part
	}
	for name, r := range map[string]store.Record{"instances: stuck": record, "instances: completed": ended, "instances: with what is reserved": room, "instances: tombstone": {Instance: "order-7", ExecutionID: 12, StartID: "start-1", Purged: true, FreeAt: at}} {
		item, err := e.Record(&r)
		if err != nil {
			t.Fatal(err)
		}
		golden[name] = plainItem(item)
	}
	for i, item := range e.SearchItems(record.Instance, record.ListKey(), record.SearchAttributes) {
		golden["instances: found by "+record.SearchAttributes.Names()[i]] = plainItem(item)
	}
	answer := store.Answer{
		AnswerKey: store.AnswerKey{Instance: "order-7", StartID: "start-1", ID: "approve-1"}, ExecutionID: 12, ExpiresAt: at.Add(store.AnswerRetention),
		Event: history.Event{Kind: history.SystemCall, Op: history.OpAnswerUpdate, EventID: 9, SourceEventID: 5, AtMS: at.UnixMilli(), Payload: []byte(`{"by": "é"}`)},
	}
	item, err := e.Answer(&answer)
	if err != nil {
		t.Fatal(err)
	}
	golden["history: the answer to an update"] = plainItem(item.Attributes)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(golden); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "items.json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Fatalf("items are not what %s says; if the change of the format is meant, run the test with -update and see that older items still decode:\n%s", file, b.Bytes())
	}
}
