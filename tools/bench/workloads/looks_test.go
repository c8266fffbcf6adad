package workloads_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
	"github.com/turnstile-go/turnstile/tools/bench/dynamolocal"
)

// Sizes of what is looked at.
const (
	lookedAt   = 1500 // instances, of which every tenth has failed
	lookedLong = 200  // events of one of them
)

// What each look of the console reads on DynamoDB, in requests and read units as DynamoDB Local
// charges them: the table "Read costs" of docs/console.md. docs/internal/performance.md has the figures.
//
//	go -C tools/bench test ./workloads -v -run LookCosts    # TURNSTILE_DYNAMODB_ENDPOINT
func TestWhatALookCostsOnDynamoDB(t *testing.T) {
	db, config := dynamolocal.Tables(t, "looks")
	var mu sync.Mutex
	var requests int
	var units float64
	config.Meter = func(u dynamo.Usage) {
		mu.Lock()
		defer mu.Unlock()
		requests, units = requests+1, units+u.ReadUnits
	}
	s := dynamo.New(db, config)
	startedAt := time.Now().Add(-lookedAt * time.Second).UTC().Truncate(time.Millisecond)
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := range numbers {
				if err := s.Commit(t.Context(), looked(i, startedAt.Add(time.Duration(i)*time.Second))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range lookedAt {
		numbers <- i
	}
	close(numbers)
	all.Wait()
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: s, Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []struct {
		name, path string
		// requests and units are the most.
		requests int
		units    float64
	}{
		{"a list of 50", "instances?page_size=50", 20, 60},
		{"by status", "instances?page_size=50&status=failed", 20, 60},
		{"by the beginning of the id", "instances?page_size=50&prefix=order-00", 20, 200},
		{"by an attribute", "instances?page_size=15&where=customer+%3D+%22c-7%22", 20, 60},
		{"by words that nothing has", "instances?page_size=50&words=nothing", 100, 1100},
		{"counts", "counts", 100, 1000},
		{"failures", "failures", 60, 200},
		{"an instance of 200 events", "instances/order-0000", 2, 2},
		{"its timeline", "instances/order-0000/timeline", 4, 30},
	} {
		requests, units = 0, 0
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/"+look.path, http.NoBody))
		if body, _ := io.ReadAll(w.Body); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", look.path, w.Code, body)
		}
		t.Logf("%-28s %3d requests, %6.1f read units", look.name, requests, units)
		if requests > look.requests || units > look.units || units == 0 {
			t.Errorf("%s makes %d requests and reads %v units, %d and %v are the most", look.name, requests, units, look.requests, look.units)
		}
	}
}

// looked is the commit that begins the i-th instance.
func looked(i int, at time.Time) store.Commit {
	r := store.Record{Instance: fmt.Sprintf("order-%04d", i), ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: at, UpdatedAt: at, EndedAt: at,
		SearchAttributes: history.SearchAttributes{"customer": history.SearchTextOf(fmt.Sprint("c-", i%100))}}
	if i%10 == 0 {
		r.Status, r.Failure = store.StatusFailed, &history.Failure{Kind: history.FailureApplication, Message: "card declined"}
	}
	events := []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at.UnixMilli(), Start: &history.Start{ExecutionID: 1}}}
	for n := int64(2); i == 0 && n <= lookedLong; n++ {
		events = append(events, history.Event{EventID: n, Kind: history.ActivityScheduled, Name: "Charge", AtMS: at.UnixMilli(), Payload: []byte(`"` + strings.Repeat("x", 200) + `"`)})
	}
	return store.Commit{Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: at}, Turns: []store.Turn{{Instance: r.Instance, ExecutionID: 1, Token: "t", Events: events}}}
}
