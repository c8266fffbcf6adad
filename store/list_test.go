package store_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/store"
)

// What List promises of its order and its tokens, for any two records and any
// query.
func TestListKeysOrderRecordsAndTokensContinueAfterThem(t *testing.T) {
	t.Parallel()
	draw := func(rt *rapid.T, label string) store.Record {
		return store.Record{
			Instance:  rapid.SampledFrom([]string{"a", "a#1", "b", "日本", "~", "0"}).Draw(rt, label),
			CreatedAt: time.UnixMilli(rapid.SampledFrom([]int64{0, 1, 999, 1_772_366_400_000, 1_772_366_400_001}).Draw(rt, label+" at")),
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := draw(rt, "a"), draw(rt, "b")
		if a.CreatedAt.Before(b.CreatedAt) && a.ListKey() >= b.ListKey() {
			rt.Fatalf("%q is older than %q and not behind it", a.ListKey(), b.ListKey())
		}
		if (a.ListKey() == b.ListKey()) != (a.Instance == b.Instance && a.CreatedAt.Equal(b.CreatedAt)) {
			rt.Fatalf("%q and %q", a.ListKey(), b.ListKey())
		}
		q := store.ListQuery{}
		if rapid.Bool().Draw(rt, "from") {
			q.From = b.CreatedAt.Add(time.Duration(rapid.IntRange(-1, 1).Draw(rt, "from by")) * time.Microsecond)
		}
		if rapid.Bool().Draw(rt, "to") {
			q.To = b.CreatedAt.Add(time.Duration(rapid.IntRange(-1, 1).Draw(rt, "to by")) * time.Microsecond)
		}
		low, high, err := q.KeyRange()
		if err != nil {
			rt.Fatal(err)
		}
		in := low <= a.ListKey() && a.ListKey() < high
		if want := (q.From.IsZero() || !a.CreatedAt.Before(q.From)) && (q.To.IsZero() || a.CreatedAt.Before(q.To)); in != want {
			rt.Fatalf("%q within %q to %q: %v, want %v", a.ListKey(), low, high, in, want)
		}
		q.PageToken = q.TokenAfter(b.ListKey())
		_, resumed, err := q.KeyRange()
		if err != nil || resumed != min(high, b.ListKey()) {
			rt.Fatalf("the page behind %q goes on below %q, %v", b.ListKey(), resumed, err)
		}
		q.Name = "another"
		if _, _, err := q.KeyRange(); !errors.Is(err, store.ErrBadPageToken) {
			rt.Fatalf("got %v, want ErrBadPageToken", err)
		}
	})
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{-1: 100, 0: 100, 1: 1, 1000: 1000, 1001: 1000} {
		q := store.ListQuery{PageSize: size}
		if got := q.Limit(); got != want {
			t.Errorf("page size %d gives %d, want %d", size, got, want)
		}
	}
}

func FuzzPageToken(f *testing.F) {
	q := store.ListQuery{Name: "Fulfil"}
	f.Add(q.TokenAfter("1772366400000#order-7"))
	f.Add("")
	f.Add("!!")
	f.Fuzz(func(t *testing.T, token string) {
		q.PageToken = token
		low, high, err := q.KeyRange()
		if err != nil && !errors.Is(err, store.ErrBadPageToken) {
			t.Fatalf("got %v, want ErrBadPageToken", err)
		}
		if err == nil && (low == "" || high == "") {
			t.Fatalf("an empty range %q to %q", low, high)
		}
	})
}
