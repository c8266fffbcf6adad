package client_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/clock"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// searched is a client over instances with these ids, each a second older than the one before.
func searched(t *testing.T, queued func(string) ([]string, bool), ids ...string) *client.Client {
	t.Helper()
	instances, now := memory.New(), time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	for i, id := range ids {
		at := now.Add(-time.Duration(i) * time.Second)
		r := store.Record{Instance: id, ExecutionID: 1, FirstExecution: 1, Name: "Report", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at}
		err := instances.Commit(t.Context(), store.Commit{Record: &store.RecordChange{Create: &r, UpdatedAt: at}, Turns: []store.Turn{{Instance: id, ExecutionID: 1, Token: "t",
			Events: []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Name: r.Name, AtMS: at.UnixMilli(), Start: &history.Start{ExecutionID: 1}}}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	q, err := queuememory.New(queuememory.Options{Name: "orchestrator", FIFO: true, Clock: clock.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: instances, Queue: q, Queued: queued})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// found are the ids that a query lists, page by page.
func found(t *testing.T, c *client.Client, q client.ListQuery) (ids []string) {
	t.Helper()
	for {
		page, err := c.List(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		for _, d := range page.Instances {
			ids = append(ids, d.Instance)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return ids
		}
	}
}

func TestInstancesAreListedBySchedule(t *testing.T) {
	t.Parallel()
	tick, trigger := "night@2029-12-31T03:00:00Z", "night@trigger-x"
	c := searched(t, nil, tick, "nightly@2029-12-31T03:00:00Z", trigger, "schedule:night")
	for _, x := range []struct {
		q    client.ListQuery
		want []string
	}{
		{client.ListQuery{Schedule: "night"}, []string{tick, trigger}},
		{client.ListQuery{Schedule: "night", Prefix: "night@t"}, []string{trigger}},
		{client.ListQuery{Schedule: "night", Prefix: "ni"}, []string{tick, trigger}},
		{client.ListQuery{Schedule: "night", Prefix: "nightly"}, nil},
		{client.ListQuery{Schedule: "day"}, nil},
	} {
		if got := found(t, c, x.q); !slices.Equal(got, x.want) {
			t.Errorf("%+v lists %q, want %q", x.q, got, x.want)
		}
		counts, _, err := c.CountByStatus(t.Context(), x.q, 10)
		if err != nil || counts[client.StatusRunning] != len(x.want) {
			t.Errorf("%+v counts %v, %v", x.q, counts, err)
		}
	}
}

func TestInstancesAreListedByTheQueueOfTheirAttempts(t *testing.T) {
	t.Parallel()
	var ids, gpu []string
	for n := range 10 {
		ids = append(ids, fmt.Sprint("order-", n))
		if n%2 == 1 {
			gpu = append(gpu, ids[n])
		}
	}
	c := searched(t, func(queue string) ([]string, bool) {
		return append([]string{"gone"}, gpu...), queue == "gpu"
	}, ids...)
	for _, size := range []int{0, 1, 2, 5} {
		if got := found(t, c, client.ListQuery{Queue: "gpu", PageSize: size}); !slices.Equal(got, gpu) {
			t.Errorf("in pages of %d it lists %q, want %q", size, got, gpu)
		}
	}
	if got := found(t, c, client.ListQuery{Queue: "gpu", Prefix: "order-3"}); !slices.Equal(got, []string{"order-3"}) {
		t.Errorf("with a prefix it lists %q", got)
	}
	if got := found(t, c, client.ListQuery{Queue: "gpu", Status: client.StatusFailed}); len(got) != 0 {
		t.Errorf("of those that failed it lists %q", got)
	}
	counts, more, err := c.CountByStatus(t.Context(), client.ListQuery{Queue: "gpu"}, 3)
	if err != nil || counts[client.StatusRunning] != 3 || !more[client.StatusRunning] {
		t.Errorf("it counts %v, %v, %v", counts, more, err)
	}
	for text, refused := range map[string]*client.Client{"no such activity queue": c, "SQS does not list its messages": searched(t, nil)} {
		_, err := refused.List(t.Context(), client.ListQuery{Queue: "cpu"})
		if _, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}
