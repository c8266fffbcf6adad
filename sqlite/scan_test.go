package sqlite

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// manyRecords fills a database, every thousandth instance one that has failed.
func manyRecords(t testing.TB, n int) *Store {
	t.Helper()
	db, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	at := time.UnixMilli(1_700_000_000_000)
	var all sync.WaitGroup
	for first := range 100 {
		all.Go(func() {
			for i := first; i < n; i += 100 {
				r := store.Record{Instance: fmt.Sprintf("order-%06d", i), ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusCompleted,
					CreatedAt: at.Add(time.Duration(i) * time.Second), UpdatedAt: at, CustomStatus: []byte(`"shipped with the third lorry of the day"`)}
				if i%1000 == 0 {
					r.Status, r.Failure = store.StatusFailed, &history.Failure{Kind: "application", Code: "declined", Message: "card declined"}
				}
				if err := db.store.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return db.store
}

// A call that scans reads a bounded number of records, and the next goes on behind
// the last that was read, whether it matched or not.
func TestAListThatScansReadsABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	s := manyRecords(t, maxScanned+500)
	q := store.ListQuery{Words: "Declined card"}
	first, err := s.List(t.Context(), q)
	if err != nil || len(first.Records) != maxScanned/1000 || first.NextPageToken == "" {
		t.Fatalf("%d records, more %q, %v", len(first.Records), first.NextPageToken, err)
	}
	q.PageToken = first.NextPageToken
	second, err := s.List(t.Context(), q)
	if err != nil || len(second.Records) != 1 || second.Records[0].Instance != "order-000000" || second.NextPageToken != "" {
		t.Fatalf("%d records, more %q, %v", len(second.Records), second.NextPageToken, err)
	}
}

// BenchmarkScan lists by words that no record has: the most that a call can read.
func BenchmarkScan(b *testing.B) {
	s := manyRecords(b, maxScanned+500)
	for b.Loop() {
		if page, err := s.List(b.Context(), store.ListQuery{Words: "nothing of the kind"}); err != nil || page.NextPageToken == "" {
			b.Fatal(page, err)
		}
	}
}

// BenchmarkScanOfAHundredThousand does so over all pages of as many records.
func BenchmarkScanOfAHundredThousand(b *testing.B) {
	if testing.Short() {
		b.Skip("NOT RUN: writing so many records takes half a minute; leave out -short")
	}
	s := manyRecords(b, 100_000)
	for b.Loop() {
		for q := (store.ListQuery{Words: "nothing of the kind"}); ; {
			page, err := s.List(b.Context(), q)
			if err != nil {
				b.Fatal(err)
			}
			if q.PageToken = page.NextPageToken; q.PageToken == "" {
				break
			}
		}
	}
}
