//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// BenchmarkAnswers measures reads of a state and queries on the deployed stack:
//
//	TURNSTILE_LOCALSTACK=1 go test -run '^$' -bench Answers -benchtime 200x ./localstack/e2e
func BenchmarkAnswers(b *testing.B) {
	s, ctx := deployed(b)
	c := s.asking(ctx, b)
	// measure reports percentiles of the durations that step returns.
	measure := func(name string, step func(b *testing.B) time.Duration) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = append(took, step(b))
			}
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms-p50")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "ms-p99")
		})
	}
	// start starts an order whose history has that many events when it waits for its approval: most are events
	// that it never takes.
	noise := turnstile.NewEvent[int]("noise")
	start := func(b *testing.B, events int) string {
		id, options := unique("order"), []client.StartOption{}
		for i := range events - 9 {
			options = append(options, client.WithEvent(noise, i))
		}
		if _, err := client.Start(ctx, c, orders.Fulfil, order(id), append(options, client.WithInstanceID(id))...); err != nil {
			b.Fatal(err)
		}
		awaitApprovalAwaited(ctx, b, c, id)
		return id
	}
	query := func(b *testing.B, id string) time.Duration {
		begin := time.Now()
		if _, err := client.Query(ctx, c, orders.Arrival, id, orders.Place{Country: "NO"}); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}

	configuration := func(b *testing.B, method, body string) string {
		url := variable(b, "AWS_ENDPOINT_URL") + "/2015-03-31/functions/" + variable(b, "TURNSTILE_QUERY_FUNCTION") + "/configuration"
		request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		response, err := s.cfg.HTTPClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			b.Fatal(err)
		}
		return strings.ReplaceAll(string(text), ": ", ":")
	}
	for _, events := range []int{10, 1000} {
		id := ""
		began := func(b *testing.B) string {
			if id == "" {
				id = start(b, events)
			}
			return id
		}
		measure(fmt.Sprintf("Get/%d events", events), func(b *testing.B) time.Duration {
			id, begin := began(b), time.Now()
			if _, err := client.Get(ctx, c, orders.Status, id); err != nil {
				b.Fatal(err)
			}
			return time.Since(begin)
		})
		measure(fmt.Sprintf("Query/%d events", events), func(b *testing.B) time.Duration { return query(b, began(b)) })
		// After a change of the configuration, the next invocation has a new process.
		measure(fmt.Sprintf("QueryCold/%d events", events), func(b *testing.B) time.Duration {
			configuration(b, http.MethodPut, fmt.Sprintf(`{"Description":%q}`, unique("cold")))
			eventually(ctx, b, "the configuration is not changed", func() bool {
				return strings.Contains(configuration(b, http.MethodGet, ""), `"LastUpdateStatus":"Successful"`)
			})
			return query(b, began(b))
		})
	}
	// From when the status was set until the wait for it returns.
	measure("WaitState", func(b *testing.B) time.Duration {
		id := start(b, 10)
		v, err := client.Get(ctx, c, orders.Status, id)
		if err != nil {
			b.Fatal(err)
		}
		if err := client.Raise(ctx, c, orders.Approved, id, orders.Approval{Approved: true}); err != nil {
			b.Fatal(err)
		}
		if v, err = client.WaitState(ctx, c, orders.Status, id, v.Number); err != nil {
			b.Fatal(err)
		}
		return time.Since(v.At)
	})
}
