package metering_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

func ptr[T any](v T) *T { return &v }

func text(n, seed int) []byte {
	b := make([]byte, n+2)
	state := uint32(seed*2654435761 + 1)
	for i := range b {
		state = state*1664525 + 1013904223
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[state>>26]
	}
	b[0], b[n+1] = '"', '"'
	return b
}

// chain runs a chain of activity steps on a store, with what happens to long
// chains besides: results of all sizes, turns of several items, custom
// statuses, marks, cold and warm reads, continue-as-new. No two items of one
// table in a transaction have equal cost: DynamoDB Local counts such once.
func chain(t *testing.T, s store.Store, steps int) {
	t.Helper()
	ctx := t.Context()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	execution, next := int64(1), int64(1)
	turn := func(name string, events ...history.Event) store.Turn {
		x := store.Turn{Instance: "chain-é", ExecutionID: execution, Token: name, Messaged: true}
		for _, e := range events {
			e.EventID, e.AtMS = next, at.UnixMilli()
			x.Events = append(x.Events, e)
			next++
		}
		return x
	}
	started := history.Event{Kind: history.OrchestrationStarted, Name: "Chain", Start: &history.Start{ExecutionID: 1, StartID: "s", Secret: "00"}}
	scheduled := history.Event{Kind: history.ActivityScheduled, Name: "Step", Payload: []byte("7")}

	r := store.Record{Instance: "chain-é", ExecutionID: 1, FirstExecution: 1, StartID: "s", Name: "Chain", Version: "1.0", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at}
	must(s.Commit(ctx, store.Commit{Turns: []store.Turn{turn("start", started, scheduled)}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}))
	for i := range steps {
		size := (i * 37) % 900
		switch {
		case i%7 == 0:
			size = 2000 + 1500*(i%5)
		case i%50 == 49:
			size = 200_000
		}
		c := store.Commit{}
		completed := history.Event{Kind: history.ActivityCompleted, SourceEventID: next - 1, Payload: text(size, i)}
		switch {
		case i%100 == 99: // continue-as-new
			end := turn(fmt.Sprintf("end-%d", i), completed, history.Event{Kind: history.OrchestrationContinuedAsNew, Payload: []byte("7")})
			execution, next = execution+1, 1
			c.Turns = []store.Turn{end, turn(fmt.Sprintf("next-%d", i), started, scheduled)}
			c.Record = &store.RecordChange{If: store.RecordCondition{ExecutionID: execution - 1}, ExecutionID: ptr(execution), UpdatedAt: at}
		case size == 200_000: // several items
			var events []history.Event
			for j := range 4 {
				completed.Payload = text(size-4000*j, i+j)
				events = append(events, completed)
			}
			c.Turns = []store.Turn{turn(fmt.Sprintf("turn-%d", i), append(events, scheduled)...)}
		default:
			c.Turns = []store.Turn{turn(fmt.Sprintf("turn-%d", i), completed, scheduled)}
		}
		if i%9 == 8 && c.Record == nil {
			c.Record = &store.RecordChange{If: store.RecordCondition{Running: true}, States: ptr(text(i*9%3000, i)), UpdatedAt: at}
		}
		must(s.Commit(ctx, c))
		switch i % 20 {
		case 3: // a cold process
			_, err := s.Read(ctx, "chain-é", execution, 1)
			must(err)
		case 7: // the last turn
			_, err := s.Read(ctx, "chain-é", execution, next-2)
			must(err)
		case 11: // from inside a turn
			_, err := s.Read(ctx, "chain-é", execution, next-1)
			must(err)
		case 12: // a slot that is taken
			_, err := s.ReadIsolated(ctx, "chain-é", execution, 1)
			must(err)
		case 14: // one that is free
			_, err := s.ReadIsolated(ctx, "chain-é", execution, next)
			must(err)
		case 9: // i is 49: a turn of several items
			_, err := s.ReadIsolated(ctx, "chain-é", execution, c.Turns[0].First())
			must(err)
		case 13:
			_, err := s.Describe(ctx, "chain-é")
			must(err)
		case 15:
			must(s.UpdateRecord(ctx, "chain-é", store.RecordChange{Suspect: ptr("message-1"), UpdatedAt: at}))
		case 17:
			must(s.UpdateRecord(ctx, "chain-é", store.RecordChange{Status: ptr(store.StatusStuck), Problem: ptr(&store.Problem{Kind: "panic", Message: "m"}), UpdatedAt: at}))
		case 18:
			must(s.UpdateRecord(ctx, "chain-é", store.RecordChange{Status: ptr(store.StatusRunning), Problem: ptr((*store.Problem)(nil)), UpdatedAt: at}))
		}
	}
	must(s.Commit(ctx, store.Commit{
		Turns:  []store.Turn{turn("end", history.Event{Kind: history.OrchestrationCompleted, Payload: []byte("7")})},
		Record: &store.RecordChange{Status: ptr(store.StatusCompleted), EndedAt: &at, Output: ptr([]byte("7")), UpdatedAt: at},
	}))
}

// searches sets, replaces and removes a search attribute, with turns and
// without. The record and what finds it never cost the same.
func searches(t *testing.T, s store.Store) {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := store.Record{Instance: "order-é", ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at,
		SearchAttributes: history.SearchAttributes{"first": history.SearchTextOf("1")}}
	changes := []store.RecordChange{{Create: &r}}
	for _, v := range []history.SearchValue{history.SearchTextOf("c-1"), history.SearchNumberOf(1), history.SearchTimeOf(at), {}} {
		changes = append(changes, store.RecordChange{SearchAttributes: history.SearchAttributes{"customer": v}, FoundAt: at, UpdatedAt: at})
	}
	for i, c := range changes {
		err := s.Commit(t.Context(), store.Commit{Record: &c, Turns: []store.Turn{{Instance: "order-é", ExecutionID: 1, Token: fmt.Sprint(i),
			Events: []history.Event{{Kind: history.ExternalEvent, EventID: int64(i) + 1, Name: "e", AtMS: at.UnixMilli()}}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range changes[1:] {
		if err := s.UpdateRecord(t.Context(), "order-é", c); err != nil {
			t.Fatal(err)
		}
	}
}

// answers stores answers to updates of all sizes, replaces them, and reads them, also one that does not exist.
func answers(t *testing.T, s store.Store) {
	t.Helper()
	at := time.Date(2100, 3, 1, 12, 0, 0, 0, time.UTC)
	key := store.AnswerKey{Instance: "order-é", StartID: "start-1", ID: "update-1"}
	if _, err := s.ReadAnswer(t.Context(), key); !errors.Is(err, store.ErrNoAnswer) {
		t.Fatal(err)
	}
	for i, size := range []int{2, 900, 30_000, 5, 250_000, 1500} {
		a := store.Answer{AnswerKey: key, ExecutionID: 1, ExpiresAt: at, Event: history.Event{
			Kind: history.SystemCall, Op: history.OpAcceptUpdate, EventID: int64(i) + 9, AtMS: at.UnixMilli(), Payload: text(size, i)}}
		if err := s.PutAnswer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if got, err := s.ReadAnswer(t.Context(), key); err != nil || got.Event.EventID != a.Event.EventID {
			t.Fatal(got.Event.EventID, err)
		}
	}
}

// reportedBy runs the chain, the searches and the answers on DynamoDB Local, in tables of their
// own, and returns what it reports, and how many requests did not succeed.
func reportedBy(t *testing.T, url string, n int) (reported []dynamo.Usage, config dynamo.Config, failed int64) {
	t.Helper()
	prefix := fmt.Sprintf("metering-%d-%d-", os.Getpid(), n)
	config = dynamo.Config{
		AttemptTimeout: 4 * time.Minute, // A request that a busy machine delays is not repeated: requests are counted.
		Tables:         dynamo.Tables{History: prefix + "history", Instances: prefix + "instances", Activities: prefix + "activities", Keys: prefix + "keys"},
		Meter:          func(u dynamo.Usage) { reported = append(reported, u) },
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	watched := &watchedTransport{RoundTripper: transport}
	client := dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: aws.String(url), HTTPClient: &http.Client{Transport: watched},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	if err := dynamo.CreateTables(t.Context(), client, config); err != nil {
		t.Fatal(err)
	}
	watched.failed.Store(0) // It asks for tables that are not there.
	s := dynamo.New(client, config)
	chain(t, s, 300)
	searches(t, s)
	answers(t, s)
	return reported, config, watched.failed.Load()
}

// watchedTransport counts the requests that do not succeed.
type watchedTransport struct {
	http.RoundTripper
	failed atomic.Int64
}

func (w *watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.RoundTripper.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		w.failed.Add(1)
	}
	if err == nil {
		answer.Body = &watchedBody{answer.Body, w}
	}
	return answer, err
}

// watchedBody tells of an answer that did not come whole: its request was out of
// time, and is made again.
type watchedBody struct {
	io.ReadCloser
	w *watchedTransport
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.w.failed.Add(1)
	}
	return n, err
}

func TestChargesAreThoseThatDynamoDBLocalReports(t *testing.T) {
	t.Parallel()
	url := os.Getenv("TURNSTILE_DYNAMODB_ENDPOINT")
	if url == "" {
		t.Skip("NOT RUN: needs DynamoDB Local (TURNSTILE_DYNAMODB_ENDPOINT); `make test` starts it and runs this")
	}
	reported, config, failed := reportedBy(t, url, 1)
	for n := 2; failed > 0 && n <= 10; n++ {
		// What was sent again by the client, or looked for by the store, is no part of a chain.
		t.Logf("%d requests failed; once more", failed)
		reported, config, failed = reportedBy(t, url, n)
	}
	var charged []dynamo.Usage
	local := metering.New(memory.New(), config, func(u dynamo.Usage) { charged = append(charged, u) })
	chain(t, local, 300)
	searches(t, local)
	answers(t, local)

	if len(charged) != len(reported) || len(reported) < 330 {
		t.Fatalf("%d requests charged, %d made", len(charged), len(reported))
	}
	var readUnits, writeUnits float64
	for i, want := range reported {
		got := charged[i]
		if want.Operation == "Query" && want.Items == 0 {
			// DynamoDB charges a read that finds nothing; DynamoDB Local
			// reports none.
			want.ReadUnits = 1
		}
		if got.Operation != want.Operation || got.Items != want.Items || got.ReadUnits != want.ReadUnits || got.WriteUnits != want.WriteUnits {
			t.Errorf("request %d: charged %+v, DynamoDB Local reports %+v", i, got, want)
		}
		readUnits, writeUnits = readUnits+want.ReadUnits, writeUnits+want.WriteUnits
	}
	t.Logf("300 steps: %d requests, %.0f read units, %.0f write units", len(reported), readUnits, writeUnits)
}

func TestAWarmStepCostsOneWriteHoweverLongTheChain(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, steps := range []int{100, 1000} {
		requests, units := 0, 0.0
		s := metering.New(memory.New(), dynamo.Config{}, func(u dynamo.Usage) { requests++; units += u.WriteUnits + u.ReadUnits })
		for i := range int64(steps) {
			x := store.Turn{Instance: "chain", ExecutionID: 1, Token: fmt.Sprint(i), Events: []history.Event{
				{Kind: history.ActivityCompleted, EventID: 2*i + 1, SourceEventID: 2 * i, AtMS: at.UnixMilli(), Payload: []byte("7")},
				{Kind: history.ActivityScheduled, EventID: 2*i + 2, AtMS: at.UnixMilli(), Name: "Step", Payload: []byte("7")},
			}}
			if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{x}}); err != nil {
				t.Fatal(err)
			}
		}
		if requests != steps || units != float64(steps) {
			t.Fatalf("%d steps: %d requests and %.1f units, want one of each a step", steps, requests, units)
		}
	}
}

func TestARefusedCommitIsPassedOnAndCharged(t *testing.T) {
	t.Parallel()
	var charged []dynamo.Usage
	s := metering.New(memory.New(), dynamo.Config{}, func(u dynamo.Usage) { charged = append(charged, u) })
	commit := func(token string, record *store.RecordChange) error {
		return s.Commit(t.Context(), store.Commit{Record: record, Turns: []store.Turn{{
			Instance: "order-7", ExecutionID: 1, Token: token,
			Events: []history.Event{{Kind: history.TimerFired, EventID: 1, SourceEventID: 1}},
		}}})
	}
	if err := commit("a", nil); err != nil {
		t.Fatal(err)
	}
	if err := commit("b", nil); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
	if err := commit("b", &store.RecordChange{Suspect: ptr("m")}); !errors.As(err, new(*store.RecordConflictError)) {
		t.Fatalf("got %v, want a RecordConflictError", err)
	}
	if err := s.Commit(t.Context(), store.Commit{}); !errors.Is(err, store.ErrInvalidTurn) {
		t.Fatalf("got %v, want ErrInvalidTurn", err)
	}
	want := []dynamo.Usage{
		{Operation: "PutItem", WriteUnits: 1, Items: 1},
		{Operation: "PutItem", WriteUnits: 1, Items: 1, Failed: true},
		{Operation: "TransactWriteItems", WriteUnits: 4, Items: 2, Failed: true},
	}
	for i := range charged {
		charged[i].Bytes = 0
	}
	if !reflect.DeepEqual(charged, want) {
		t.Fatalf("charged %+v\nwant %+v", charged, want)
	}
}
