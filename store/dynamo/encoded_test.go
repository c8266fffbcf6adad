package dynamo_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/clock"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// backwards is a codec whose work is the same every time.
type backwards struct{}

func (backwards) Name() string { return "backwards" }

func (backwards) Encode(plain []byte) ([]byte, error) {
	out := bytes.Clone(plain)
	slices.Reverse(out)
	return out, nil
}

func (b backwards) Decode(encoded []byte) ([]byte, error) { return b.Encode(encoded) }

// Sealed payloads stand in items as strings, with their mark beside them.
func TestEncodedItemsAreWrittenAsTheGoldenFileSays(t *testing.T) {
	t.Parallel()
	set, err := codec.NewSet(backwards{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	turns, err := set.EncodeTurns([]store.Turn{{Instance: "order-7", ExecutionID: 1, Token: "0123456789abcdef", Events: []history.Event{
		{Kind: history.ExternalEvent, EventID: 3, AtMS: at.UnixMilli(), Name: "paid", Payload: []byte(`{"card":"4929"}`)},
		{Kind: history.TimerCreated, EventID: 4, AtMS: at.UnixMilli(), FireAtMS: at.UnixMilli() + 1000, DurationMS: 1000},
		{Kind: history.ActivityFailed, EventID: 5, AtMS: at.UnixMilli(), SourceEventID: 2,
			Failure: &history.Failure{Kind: history.FailureApplication, Message: "refused", Details: []byte(`{"card":"4929"}`)}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	change, err := set.EncodeChange("order-7", &store.RecordChange{Create: &store.Record{Instance: "order-7", ExecutionID: 1, FirstExecution: 1, StartID: "s",
		Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: at, UpdatedAt: at, EndedAt: at, States: []byte(`"paid"`), Output: []byte(`{"card":"4929"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	e := dynamo.NewEncoder(dynamo.Config{})
	items, err := e.Turn(&turns[0])
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	record, err := e.Record(change.Create)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string]any{"history: a sealed turn": plainItem(items[0].Attributes), "instances: sealed": plainItem(record)}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "encoded.json")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Fatalf("items are not what %s says (%v); if the change of the format is meant, run the test with -update and see that older items still decode:\n%s", file, err, b.Bytes())
	}
}

// secretText stands in every payload below.
const secretText = "4929-1234-5678"

// TestTablesHoldEncodedPayloadsOnly: an application whose every payload has a
// secret runs on DynamoDB Local, and no attribute of any item of its tables
// shows it, compressed or not; without a codec many do.
func TestTablesHoldEncodedPayloadsOnly(t *testing.T) {
	t.Parallel()
	endpoint(t)
	key, err := aesgcm.New("2026-11", bytes.Repeat([]byte("k"), aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	set, err := codec.NewSet(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, codecs := range map[string]*codec.Set{"sealed": set, "plain": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openLocal(t, nil)
			c := runApplication(t, l, codecs)
			d, err := c.Describe(t.Context(), "order-7")
			if err != nil || d.Status != client.StatusCompleted || !strings.Contains(string(d.Output), secretText) || !strings.Contains(string(d.States["status"].Value), secretText) {
				t.Fatalf("it is %+v, %v", d, err)
			}
			shown, marks, items := l.scan(t, secretText), l.scan(t, key.Name()), l.scan(t, "")
			if codecs == nil {
				if len(shown) < 5 {
					t.Errorf("without a codec the secret is seen in %q only, of %d attributes", shown, len(items))
				}
				return
			}
			if len(shown) > 0 {
				t.Errorf("the secret is seen in %q", shown)
			}
			// Turns, records and heartbeats have their mark.
			for _, table := range []string{"history", "instances", "activities"} {
				if !slices.ContainsFunc(marks, func(where string) bool { return strings.HasPrefix(where, table) }) {
					t.Errorf("no item of the %s table has a mark: %q", table, marks)
				}
			}
			keyless, err := client.New(client.Config{Store: l.Store, Queue: memoryFIFO(t)})
			if err != nil {
				t.Fatal(err)
			}
			d, err = keyless.Describe(t.Context(), "order-7")
			if unknown, ok := errors.AsType[*codec.UnknownError](d.DecodeError); err != nil || !ok || unknown.Codec != key.Name() || d.Output != nil {
				t.Errorf("without the key it is %+v, %v", d, err)
			}
		})
	}
}

func memoryFIFO(t *testing.T) *memoryqueue.Queue {
	q, err := memoryqueue.New(memoryqueue.Options{Name: "q", FIFO: true, Clock: clock.NewVirtual(time.Now())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// scan returns where in the tables a text stands, as table.attribute.
func (l *local) scan(t *testing.T, text string) []string {
	t.Helper()
	var where []string
	for name, table := range map[string]string{"history": l.config.Tables.History, "instances": l.config.Tables.Instances, "activities": l.config.Tables.Activities} {
		pages := dynamodb.NewScanPaginator(l.client, &dynamodb.ScanInput{TableName: aws.String(table)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				for attribute, v := range item {
					if strings.Contains(attributeText(t, v), text) {
						where = append(where, name+"."+attribute)
					}
				}
			}
		}
	}
	slices.Sort(where)
	return where
}

// attributeText is all that is in a value, what is compressed too.
func attributeText(t *testing.T, v types.AttributeValue) string {
	t.Helper()
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		r, err := gzip.NewReader(bytes.NewReader(v.Value))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	case *types.AttributeValueMemberL:
		all := ""
		for _, each := range v.Value {
			all += attributeText(t, each) + " "
		}
		return all
	case *types.AttributeValueMemberM:
		all := ""
		for name, each := range v.Value {
			all += name + " " + attributeText(t, each) + " "
		}
		return all
	}
	return ""
}

// runApplication runs an instance to its end that has payloads of every sort,
// and returns a client.
func runApplication(t *testing.T, l *local, codecs *codec.Set) *client.Client {
	t.Helper()
	work := turnstile.NewActivity[string, string]("Work")
	step := turnstile.NewActivity[string, string]("Step")
	paid := turnstile.NewEvent[string]("paid")
	order := turnstile.NewOrchestration[string, string]("Order")
	child := turnstile.NewOrchestration[string, string]("Child")
	app := turnstile.NewApp(
		order.Implement(func(ctx turnstile.Context, in string) (string, error) {
			if err := turnstile.NewState[string]("status").Set(ctx, secretText); err != nil {
				return "", err
			}
			out, err := work.Call(ctx, in)
			if err != nil {
				return "", err
			}
			if _, err = step.Inline(ctx, out); err != nil {
				return "", err
			}
			card, err := paid.Wait(ctx)
			if err != nil {
				return "", err
			}
			if !strings.Contains(in, "again") {
				return "", order.ContinueAsNew(ctx, "again "+card)
			}
			return child.Call(ctx, card)
		}),
		child.Implement(func(_ turnstile.Context, in string) (string, error) { return in, nil }),
		work.Implement(func(ctx context.Context, in string) (string, error) {
			return in + strings.Repeat(".", 20_000), turnstile.Heartbeat(ctx, secretText)
		}),
		step.Implement(func(_ context.Context, in string) (string, error) { return in[:40], nil }),
	)
	if err := app.Err(); err != nil {
		t.Fatal(err)
	}
	st := newStack(t, l, app, codecs, "Step")
	run, err := client.Start(t.Context(), st.client, order, secretText, client.WithInstanceID("order-7"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := client.Raise(t.Context(), st.client, paid, run.Instance, secretText); err != nil {
			t.Fatal(err)
		}
	}
	st.settle()
	return st.client
}
