package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// answersExpire is in the future, because a store may delete answers that have expired. It has a fraction
// of a second and another time zone, which are not stored.
var answersExpire = time.Date(2100, 1, 1, 12, 0, 0, 123456789, time.FixedZone("CET", 3600))

// answerTo builds the answer of an execution that accepts an update.
func answerTo(key store.AnswerKey, executionID, eventID int64, payload string) store.Answer {
	return store.Answer{AnswerKey: key, ExecutionID: executionID, ExpiresAt: answersExpire, Event: history.Event{
		Kind: history.SystemCall, Op: history.OpAcceptUpdate, Name: history.UpdatePrefix + "approve", EventID: eventID, SourceEventID: 2,
		AtMS: epoch.UnixMilli(), SenderID: key.ID, Payload: []byte(payload),
	}}
}

func putAnswer(t testing.TB, s store.Store, a store.Answer) {
	t.Helper()
	if err := s.PutAnswer(t.Context(), a); err != nil {
		t.Fatalf("answer to update %s of %s: %v", short(a.ID), short(a.Instance), err)
	}
}

// wantAnswer compares answers by what a store keeps of them.
func wantAnswer(t testing.TB, s store.Store, want store.Answer) {
	t.Helper()
	got, err := s.ReadAnswer(t.Context(), want.AnswerKey)
	must(t, err)
	at := want.ExpiresAt.Unix()
	if got.ExpiresAt.Unix() != at || got.ExpiresAt.Nanosecond() != 0 || got.ExpiresAt.Location() != time.UTC {
		t.Fatalf("the answer expires at %v, want %v in whole seconds, UTC", got.ExpiresAt, want.ExpiresAt)
	}
	got.ExpiresAt, want.ExpiresAt = time.Time{}, time.Time{}
	document, stored := store.EncodeAnswer(&want.Event), store.EncodeAnswer(&got.Event)
	got.Event, want.Event = history.Event{}, history.Event{}
	if !reflect.DeepEqual(got, want) || !bytes.Equal(stored, document) {
		t.Fatalf("got %+v with %s, want %+v with %s", got, short(string(stored)), want, short(string(document)))
	}
}

func wantNoAnswer(t testing.TB, s store.Store, key store.AnswerKey) {
	t.Helper()
	if a, err := s.ReadAnswer(t.Context(), key); !errors.Is(err, store.ErrNoAnswer) {
		t.Fatalf("update %s of %s: got %+v, %v; want ErrNoAnswer", short(key.ID), short(key.Instance), a, err)
	}
}

func answers(t *testing.T, o Options) {
	key := store.AnswerKey{Instance: "order-7", StartID: "start-1", ID: "update-1"}
	t.Run("a later event replaces the answer, others change nothing", func(t *testing.T) {
		s := o.Open(t)
		other := o.Reopen(t, s)
		wantNoAnswer(t, s, key)
		kept := store.Answer{}
		for _, c := range []struct {
			execution, event int64
			replaces         bool
		}{
			{0, 1, true}, {0, 1, false}, {1, 5, true}, {0, 1, false}, {1, 5, false}, {1, 4, false}, {1, 10, true}, {1, 9, false},
			{2, 3, true}, {1, 11, false}, {2, 3, false}, {2, 2, false}, {10, 1, true}, {9, 1 << 40, false}, {10, 1 << 40, true}, {1 << 40, 1, true},
		} {
			a := answerTo(key, c.execution, c.event, fmt.Sprintf(`"%d/%d"`, c.execution, c.event))
			putAnswer(t, s, a)
			if c.replaces {
				kept = a
			}
			wantAnswer(t, s, kept)
			wantAnswer(t, other, kept)
		}
	})
	t.Run("a final answer stays", func(t *testing.T) {
		for _, final := range []history.Event{{Kind: history.SystemCall, Op: history.OpAnswerUpdate}, {Kind: history.ExternalRejected}} {
			s := o.Open(t)
			accepted, answered, again := answerTo(key, 1, 5, ""), answerTo(key, 1, 9, ""), answerTo(key, 2, 12, "")
			answered.Event.Kind, answered.Event.Op = final.Kind, final.Op
			again.Event.Kind, again.Event.Op = final.Kind, final.Op
			for _, a := range []store.Answer{accepted, answered, again, answerTo(key, 2, 14, "")} {
				putAnswer(t, s, a)
			}
			wantAnswer(t, s, answered)
		}
	})
	t.Run("an event keeps all its fields", func(t *testing.T) {
		s := o.Open(t)
		for i, e := range []history.Event{
			{Kind: history.ExternalRejected, EventID: 1, Name: history.UpdatePrefix + "approve", Failure: &history.Failure{Kind: "application", Message: "too late", Code: "closed", Details: []byte(`{"at":7}`)}},
			{Kind: history.SystemCall, Op: history.OpAcceptUpdate, EventID: 7, SourceEventID: 6, AtMS: epoch.UnixMilli(), Name: history.UpdatePrefix + "approve"},
			{Kind: history.SystemCall, Op: history.OpAnswerUpdate, EventID: 8, SourceEventID: 6, Codec: "aesgcm", Payload: []byte(`"c2VhbGVk"`)},
		} {
			a := answerTo(store.AnswerKey{Instance: "order-7", StartID: "start-1", ID: fmt.Sprint(i)}, int64(i), 1, "")
			a.Event = e
			putAnswer(t, s, a)
			wantAnswer(t, s, a)
		}
	})
	t.Run("an answer belongs to one update of one run", func(t *testing.T) {
		s := o.Open(t)
		keys := []store.AnswerKey{
			key, {Instance: "order-7", StartID: "start-1", ID: "update-2"}, {Instance: "order-7", StartID: "start-2", ID: "update-1"},
			{Instance: "order-77", StartID: "start-1", ID: "update-1"}, {Instance: "Order-7", StartID: "start-1", ID: "update-1"},
			// Ids that could be mistaken for each other if they were only joined.
			{Instance: "order-7", StartID: "a", ID: "bc"}, {Instance: "order-7", StartID: "ab", ID: "c"}, {Instance: "order-7", StartID: "", ID: "abc"},
			{Instance: "order-7", StartID: "a:b", ID: "c"}, {Instance: "order-7", StartID: "a", ID: "b:c"}, {Instance: "order-7", StartID: "abc", ID: ""},
			{Instance: "0#order-7", StartID: "start-1", ID: "update-1"}, {Instance: "order-7", StartID: "start-1", ID: "Update-1"},
			// Odd ids.
			{Instance: "Bücher/№ 7#1", StartID: "\U0001F600", ID: "e\u0301"}, {Instance: "Bücher/№ 7#1", StartID: "\U0001F600", ID: "\u00e9"},
			{Instance: "order-7", StartID: "start-1", ID: "' OR 1=1 --"}, {Instance: "order-7", StartID: "start-1", ID: strings.Repeat("u", 1000)},
			{Instance: strings.Repeat("i", 1000), StartID: strings.Repeat("s", 1000), ID: strings.Repeat("u", 1000)},
		}
		for i, k := range keys {
			wantNoAnswer(t, s, k)
			putAnswer(t, s, answerTo(k, 1, int64(i)+1, fmt.Sprint(i)))
		}
		for i, k := range keys {
			wantAnswer(t, s, answerTo(k, 1, int64(i)+1, fmt.Sprint(i)))
		}
		for i := range int64(5) {
			same(t, read(t, s, "order-7", i, 1), nil)
		}
		if page, err := s.List(t.Context(), store.ListQuery{}); err != nil || len(page.Records) != 0 {
			t.Fatalf("answers are listed as instances: %+v, %v", page.Records, err)
		}
	})
	t.Run("a payload of 256 KiB fits", func(t *testing.T) {
		s := o.Open(t)
		for i, random := range []bool{true, false} {
			a := answerTo(key, 1, int64(i)+1, "")
			a.Event.Payload = withPayloads(turn("order-7", 1, 1, 1, "a"), 256<<10, random).Events[0].Payload
			putAnswer(t, s, a)
			wantAnswer(t, s, a)
		}
	})
	t.Run("of concurrent answers the last event wins", func(t *testing.T) {
		s := o.Open(t)
		const writers = 16
		var wg sync.WaitGroup
		for i := range int64(writers) {
			with := o.Reopen(t, s)
			wg.Go(func() {
				for n := range int64(4) {
					err := with.PutAnswer(t.Context(), answerTo(key, 1+n, 1+(i*7)%writers, fmt.Sprint(i)))
					for errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) {
						err = with.PutAnswer(t.Context(), answerTo(key, 1+n, 1+(i*7)%writers, fmt.Sprint(i)))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		got, err := s.ReadAnswer(t.Context(), key)
		if must(t, err); got.ExecutionID != 4 || got.Event.EventID != writers {
			t.Fatalf("execution %d event %d is stored, want 4 and %d", got.ExecutionID, got.Event.EventID, writers)
		}
	})
	t.Run("a write whose response was lost is repeated", func(t *testing.T) {
		s := o.Open(t)
		a := answerTo(key, 1, 5, "7")
		if err := o.LoseAnswers(t, s, 100).PutAnswer(t.Context(), a); err == nil {
			// The conditional put whose response was lost finds its own answer, so a store may know.
			wantAnswer(t, s, a)
		} else if !errors.Is(err, store.ErrUnknownOutcome) {
			t.Fatalf("got %v, want success or ErrUnknownOutcome", err)
		}
		putAnswer(t, o.Reopen(t, s), a)
		wantAnswer(t, s, a)
	})
	t.Run("all answers of an instance are deleted, and no others", func(t *testing.T) { deleteAnswers(t, o) })
}

func deleteAnswers(t *testing.T, o Options) {
	s := o.Open(t)
	const updates = 30
	keyOf := func(instance string, i int) store.AnswerKey {
		return store.AnswerKey{Instance: instance, StartID: fmt.Sprint("start-", i%3), ID: fmt.Sprint("update-", i)}
	}
	x := turn("order-7", 1, 1, 2, "a")
	commit(t, s, x)
	others := []string{"order-77", "order-", "0#order-7", "%", "order_7"}
	for _, instance := range others {
		putAnswer(t, s, answerTo(keyOf(instance, 1), 1, 1, "1"))
	}
	left := func() (n int) {
		for i := range updates {
			if _, err := s.ReadAnswer(t.Context(), keyOf("order-7", i)); err == nil {
				n++
			} else if !errors.Is(err, store.ErrNoAnswer) {
				t.Fatal(err)
			}
		}
		return n
	}
	for _, limit := range []int{0, 1, 7, 25, updates, updates + 1} {
		for i := range updates {
			putAnswer(t, s, answerTo(keyOf("order-7", i), 1, int64(i)+1, "1"))
		}
		for before, calls := updates, 1; ; calls++ {
			done, err := s.DeleteAnswers(t.Context(), "order-7", limit)
			must(t, err)
			n := left()
			if most := before - n; limit > 0 && most > limit {
				t.Fatalf("a call with the limit %d deleted %d answers", limit, most)
			}
			if done && n > 0 || !done && limit == 0 {
				t.Fatalf("with the limit %d it reports %v, and %d answers are left", limit, done, n)
			}
			if done {
				break
			}
			if n == before && n > 0 || calls > updates+1 {
				t.Fatalf("deleting with the limit %d does not end: %d answers are left after %d calls", limit, n, calls)
			}
			before = n
		}
		for range 2 {
			if done, err := s.DeleteAnswers(t.Context(), "order-7", limit); err != nil || !done {
				t.Fatalf("deleting again: %v, %v", done, err)
			}
		}
	}
	for _, instance := range others {
		wantAnswer(t, s, answerTo(keyOf(instance, 1), 1, 1, "1"))
	}
	same(t, read(t, s, "order-7", 1, 1), []store.Turn{x})
	// A history is deleted without the answers.
	putAnswer(t, s, answerTo(keyOf("order-7", 0), 1, 1, "1"))
	if done, err := s.DeleteHistory(t.Context(), "order-7", 1, 0); err != nil || !done {
		t.Fatalf("delete of the history: %v, %v", done, err)
	}
	wantAnswer(t, s, answerTo(keyOf("order-7", 0), 1, 1, "1"))
}
