package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

// chain returns the history of a chain of n activities with payloads of about
// 200 bytes.
func chain(n int) []history.Event {
	payload := []byte(`{"order":"o-1","customer":"` + strings.Repeat("c", 60) + `","lines":[{"sku":"a-17","quantity":2,"price":1999},{"sku":"b-4","quantity":1,"price":250}],"note":"` + strings.Repeat("n", 30) + `"}`)
	events := []history.Event{{
		Kind: history.OrchestrationStarted, EventID: 1, AtMS: 1700000000000, Name: "Chain", Version: "1",
		Payload: payload, Start: &history.Start{ExecutionID: 1, StartID: "s", Secret: strings.Repeat("0", 32)},
	}}
	for range n {
		id := int64(len(events)) + 1
		events = append(events, history.Event{
			Kind: history.ActivityScheduled, EventID: id, AtMS: 1700000000000 + id, Name: "Step", Payload: payload,
		}, history.Event{
			Kind: history.ActivityCompleted, EventID: id + 1, AtMS: 1700000000000 + id, SourceEventID: id, Payload: payload,
		})
	}
	return events
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("chain of %d", n), func(b *testing.B) {
			events := chain(n)
			data := history.Encode(events)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := history.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	events := chain(1000)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = history.AppendEvents(buf[:0], events)
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
