package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// alphabet of the texts: small, so that words are found, with what is special to FTS5, to JSON, to
// UTF-8 and to upper and lower case.
var alphabet = []string{"a", "B", "b", "c", "ä", "Ä", "ß", "İ", "K", "😀", `"`, "'", "*", "-", "^", "\\", "\x00", "\xff", "\uFFFE", " ", " ", "\n", "abc", "card declined"}

func randomText(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(12) {
		b.WriteString(alphabet[random.IntN(len(alphabet))])
	}
	return b.String()
}

// Whatever is done to instances, and however far the index has caught up, a search by words finds
// what a look at each record finds.
func TestASearchByWordsFindsWhatAScanFinds(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]Option{
		"all is indexed": IndexWords(0, 1000), "some is": IndexWords(7, 1000), "much is found": IndexWords(0, 3), "little, and much is found": IndexWords(20, 3),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, seeds := 0, stage.Cases(3, 12)
			for seed := range seeds {
				found += wordsRun(t, rand.New(rand.NewPCG(uint64(seed), 11)), option)
			}
			if found < 40*seeds {
				t.Errorf("only %d records were found", found)
			}
		})
	}
}

func wordsRun(t *testing.T, random *rand.Rand, option Option) (found int) {
	dir, m := t.TempDir(), memory.New()
	db, err := Open(dir, option)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	at := time.UnixMilli(1_700_000_000_000)
	both := func(do func(store.Store) error) {
		t.Helper()
		a, b := do(db.store), do(m)
		if (a == nil) != (b == nil) {
			t.Fatalf("%v, and in memory %v", a, b)
		}
	}
	texts := func(r *store.Record) {
		switch random.IntN(5) {
		case 0:
			r.States = listed(quoted(randomText(random)))
		case 1:
			r.States, r.Codec = []byte(randomText(random)), "aesgcm"
		case 2:
			r.Failure = &history.Failure{Kind: "application", Code: randomText(random), Message: randomText(random)}
		case 3:
			r.Suspension = &store.Suspension{Reason: randomText(random)}
		}
	}
	n := 0
	for range 120 {
		id := fmt.Sprintf("i-%02d", random.IntN(n+1))
		switch random.IntN(12) {
		case 0, 1, 2, 3, 4:
			r := store.Record{Instance: fmt.Sprintf("i-%02d", n), ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: at.Add(time.Duration(random.IntN(1000)) * time.Second), UpdatedAt: at}
			texts(&r)
			both(func(s store.Store) error {
				return s.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r})
			})
			n++
		case 5, 6:
			var r store.Record
			texts(&r)
			both(func(s store.Store) error {
				return s.UpdateRecord(t.Context(), id, store.RecordChange{If: store.RecordCondition{Exists: true}, Failure: &r.Failure, Suspension: &r.Suspension, UpdatedAt: at})
			})
		case 7:
			both(func(s store.Store) error {
				completed := store.StatusCompleted
				return errors.Join(s.UpdateRecord(t.Context(), id, store.RecordChange{If: store.RecordCondition{Exists: true}, Status: &completed, UpdatedAt: at}), s.Hide(t.Context(), id, 1, at))
			})
		case 8:
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if db, err = Open(dir, option); err != nil {
				t.Fatal(err)
			}
		case 9:
			// A transaction that is taken back takes back what it has indexed.
			err := db.store.writer.do(t.Context(), func(tx *conn) error {
				_, _, _, err := db.store.indexed.more(tx)
				return errors.Join(err, tx.exec("INSERT INTO unindexed (no) VALUES ('no number')"))
			})
			if err == nil {
				t.Fatal("it was not taken back")
			}
		default:
			text := []rune(randomText(random))
			q := store.ListQuery{Words: string(text[:min(len(text), 1+random.IntN(6))]), PageSize: 1 + random.IntN(5)}
			if random.IntN(4) == 0 {
				q.Status = store.StatusRunning
			}
			if random.IntN(4) == 0 {
				q.To = at.Add(500 * time.Second)
			}
			have, want := idsOf(t, db.store, q), idsOf(t, m, q)
			if !slices.Equal(have, want) {
				t.Fatalf("%q: found %v, want %v", q.Words, have, want)
			}
			found += len(have)
		}
	}
	return found
}

func idsOf(t testing.TB, s store.Store, q store.ListQuery) (ids []string) {
	t.Helper()
	for {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		for i := range page.Records {
			ids = append(ids, page.Records[i].Instance)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return ids
		}
	}
}

// A write pays for the index only where it changes texts that are indexed.
func TestOnlyAWriteThatChangesIndexedTextsIsNoted(t *testing.T) {
	t.Parallel()
	s := manyRecords(t, 20, IndexWords(5, 1000))
	noted := func() (n, through int64) {
		t.Helper()
		if err := s.readers.read(func(c *conn) (err error) {
			if n, err = c.number("SELECT count(*) FROM unindexed"); err == nil {
				through, err = c.number("SELECT indexed FROM opened")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n, through
	}
	say := func(id, text string) {
		t.Helper()
		custom := listed(quoted(text))
		if err := s.UpdateRecord(t.Context(), id, store.RecordChange{States: &custom}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, n, through int64) {
		t.Helper()
		if gotN, got := noted(); gotN != n || got != through {
			t.Errorf("%s: %d noted and %d indexed, want %d and %d", when, gotN, got, n, through)
		}
	}
	find := func(words string, n int) {
		t.Helper()
		if got := idsOf(t, s, store.ListQuery{Words: words}); len(got) != n {
			t.Errorf("%q finds %v, want %d", words, got, n)
		}
	}
	say("order-000003", `"loaded"`)
	want("before a search", 0, 0)
	find("unloaded", 0)
	want("after a search", 0, 20)
	say("order-000003", `"loaded"`)
	want("after a write of the same text", 0, 20)
	say("order-000003", `"unloaded"`)
	want("after a write of another text", 1, 20)
	find("unloaded", 1)
	find("loaded", 1)
	want("after it was found", 0, 20)
	completed := store.RecordCondition{Exists: true}
	create := store.Record{Instance: "late", ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusCompleted, States: listed(`"unloaded too"`)}
	if err := s.UpdateRecord(t.Context(), "late", store.RecordChange{Create: &create}); err != nil {
		t.Fatal(err)
	}
	say("late", `"unloaded as well"`)
	find("unloaded", 2)
	want("with fewer than the lag beside it", 0, 20)
	if err := errors.Join(s.UpdateRecord(t.Context(), "order-000003", store.RecordChange{If: completed, Status: &create.Status}), s.Hide(t.Context(), "order-000003", 1, time.Now())); err != nil {
		t.Fatal(err)
	}
	want("after a purge", 1, 20)
	find("unloaded", 1)
	var left int64
	if err := s.readers.read(func(c *conn) (err error) {
		left, err = c.number("SELECT count(*) FROM words WHERE words MATCH ?", trigramsOf("unloaded"))
		return err
	}); err != nil || left != 1 {
		t.Errorf("the index has %d with the words, %v; want the one that is not purged", left, err)
	}
	want("after a search", 0, 21)
	s.indexed.found = 2
	for i := range 4 {
		create.Instance, create.States = fmt.Sprint("later-", i), listed(`"lost at sea"`)
		if err := s.UpdateRecord(t.Context(), create.Instance, store.RecordChange{Create: &create}); err != nil {
			t.Fatal(err)
		}
	}
	find("lost", 4)
	find("unloaded", 1)
	want("with more beside it than it finds", 0, 21)
}

// What a search has no time to index is found beside the index.
func TestWhatIsNotIndexedAgainYetIsFound(t *testing.T) {
	t.Parallel()
	const n = 20
	s := manyRecords(t, n, IndexWords(0, 1000))
	long := strings.Repeat("abcdefgh ", indexedAtOnce/9+1)
	say := func(text string) {
		t.Helper()
		for i := range n {
			custom := listed(quoted(long + text))
			if err := s.UpdateRecord(t.Context(), fmt.Sprintf("order-%06d", i), store.RecordChange{States: &custom}); err != nil {
				t.Fatal(err)
			}
		}
	}
	say("loaded")
	for range n {
		idsOf(t, s, store.ListQuery{Words: "loaded"})
	}
	say("arrived")
	for words, want := range map[string]int{"arrived": n, "loaded": 0} {
		if got := idsOf(t, s, store.ListQuery{Words: words}); len(got) != want {
			t.Errorf("%q finds %d, want %d", words, len(got), want)
		}
	}
	left := int64(0)
	if err := s.readers.read(func(c *conn) (err error) {
		left, err = c.number("SELECT count(*) FROM unindexed")
		return err
	}); err != nil || left == 0 {
		t.Errorf("%d are left, %v: all was indexed at once", left, err)
	}
}

// Words of fewer than three characters, and nothing else, are not asked of the index.
func TestTrigramsOfWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"": "", "a bc": "", "Äß": "", "abc": `"abc"`, "a CARD": `"car" AND "ard"`, `a"b c`: `"a""b"`, "ÄÖÜ": `"äöü"`, "😀ab": `"😀ab"`,
	} {
		if got := trigramsOf(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	if n := strings.Count(trigramsOf(strings.Repeat("abcdef ", 100)), "AND") + 1; n != maxTrigrams {
		t.Errorf("%d trigrams of many words, want %d", n, maxTrigrams)
	}
}
