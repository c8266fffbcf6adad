package sqlite

import (
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// manyRecords fills a database, every thousandth instance one that has failed.
func manyRecords(t testing.TB, n int, opts ...Option) *Store {
	t.Helper()
	return manyRecordsWith(t, n, `"shipped with the third lorry of the day"`, opts...)
}

// listed is a value as the state that lists show; none for "".
func listed(value string) []byte {
	if value == "" {
		return nil
	}
	return history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(value)}})
}

// quoted is a text as JSON.
func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func manyRecordsWith(t testing.TB, n int, custom string, opts ...Option) *Store {
	t.Helper()
	db, err := Open(t.TempDir(), opts...)
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
					CreatedAt: at.Add(time.Duration(i) * time.Second), UpdatedAt: at, States: listed(custom)}
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

// unindexed has no search index words.
var unindexed = IndexWords(math.MaxInt64, 0)

// A call that scans reads a bounded number of records, and the next goes on behind
// the last that was read, whether it matched or not.
func TestAListThatScansReadsABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	s := manyRecords(t, maxScanned+500, unindexed, WithDurability(Normal))
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
	s := manyRecords(b, maxScanned+500, unindexed)
	for b.Loop() {
		if page, err := s.List(b.Context(), store.ListQuery{Words: "nothing of the kind"}); err != nil || page.NextPageToken == "" {
			b.Fatal(page, err)
		}
	}
}

// BenchmarkSearchByWords searches a hundred thousand instances for words that nobody has, over all
// pages, the first time and until all are indexed. Each of them has a custom status, or, of most,
// one in a thousand has failed and nothing else has texts.
func BenchmarkSearchByWords(b *testing.B) {
	if testing.Short() {
		b.Skip("NOT RUN: writing so many records takes half a minute; leave out -short")
	}
	for name, custom := range map[string]string{"custom": `"shipped with the third lorry of the day"`, "none": ""} {
		b.Run(name, func(b *testing.B) {
			s := manyRecordsWith(b, 100_000, custom)
			var first, all, size time.Duration
			before := pages(b, s)
			searches := 0
			for startedAt := time.Now(); s.indexed.committed < 100_000-maxLag; all = time.Since(startedAt) {
				idsOf(b, s, store.ListQuery{Words: "nothing of the kind"})
				if searches++; searches == 1 {
					first = time.Since(startedAt)
				}
			}
			size = time.Duration(pages(b, s) - before)
			for b.Loop() {
				idsOf(b, s, store.ListQuery{Words: "nothing of the kind"})
			}
			b.ReportMetric(float64(first.Milliseconds()), "ms-first")
			b.ReportMetric(float64(all.Milliseconds()), "ms-until-indexed")
			b.ReportMetric(float64(searches), "searches-until-indexed")
			b.ReportMetric(float64(size)*4, "KiB")
		})
	}
}

// pages are how many the database has.
func pages(t testing.TB, s *Store) (n int64) {
	t.Helper()
	if err := s.readers.read(func(c *conn) (err error) {
		n, err = c.number("PRAGMA page_count")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkWriteOfOtherWords changes the custom status of instances: of which nobody has searched
// for words, and which are indexed.
func BenchmarkWriteOfOtherWords(b *testing.B) {
	for name, search := range map[string]bool{"unsearched": false, "indexed": true} {
		b.Run(name, func(b *testing.B) {
			s := manyRecords(b, 2000, IndexWords(0, 1000), WithDurability(Normal))
			if search {
				idsOf(b, s, store.ListQuery{Words: "nothing of the kind"})
			}
			i := 0
			for b.Loop() {
				i++
				text := listed(fmt.Sprintf(`"stop %d"`, i))
				if err := s.UpdateRecord(b.Context(), fmt.Sprintf("order-%06d", i%2000), store.RecordChange{States: &text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkScanOfAHundredThousand does so over all pages of as many records.
func BenchmarkScanOfAHundredThousand(b *testing.B) {
	if testing.Short() {
		b.Skip("NOT RUN: writing so many records takes half a minute; leave out -short")
	}
	s := manyRecords(b, 100_000, unindexed)
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
