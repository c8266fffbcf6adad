package sqlite

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestAnswersSurviveTheProcessAndAreDeletedAfterTheyExpire(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	put := func(id string) store.AnswerKey {
		a := store.Answer{AnswerKey: store.AnswerKey{Instance: "order-7", StartID: "s", ID: id}, ExecutionID: 1, ExpiresAt: now.Add(store.AnswerRetention),
			Event: history.Event{Kind: history.SystemCall, EventID: 1, Payload: []byte("7")}}
		if err := db.Store().PutAnswer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		return a.AnswerKey
	}
	const expired = 3*expiredAtOnce - 1
	for i := range expired {
		put(fmt.Sprint("old-", i))
	}
	kept := put("kept")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if a, err := db.Store().ReadAnswer(t.Context(), kept); err != nil || string(a.Event.Payload) != "7" {
		t.Fatalf("after the process: %+v, %v", a, err)
	}
	count := func() (n int64) {
		if err := db.readers.read(func(c *conn) (err error) {
			n, err = c.number("SELECT count(*) FROM answers")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	now = now.Add(store.AnswerRetention - time.Second)
	put("before they expire")
	if n := count(); n != expired+2 {
		t.Fatalf("%d answers, want %d: none has expired", n, expired+2)
	}
	now = now.Add(time.Second)
	for i, want := range []int64{expired + 2 - expiredAtOnce + 1, expired + 2 - 2*expiredAtOnce + 2, 1 + 3, 1 + 4} {
		put(fmt.Sprint("new-", i))
		if n := count(); n != want {
			t.Errorf("after %d writes %d answers are left, want %d", i+1, n, want)
		}
	}
}

func TestAnAnswerThatCannotBeDecodedIsCorrupt(t *testing.T) {
	t.Parallel()
	db, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	key := store.AnswerKey{Instance: "order-7", StartID: "s", ID: "u"}
	a := store.Answer{AnswerKey: key, ExecutionID: 3, ExpiresAt: time.Now().Add(store.AnswerRetention), Event: history.Event{Kind: history.SystemCall, EventID: 1}}
	if err := db.Store().PutAnswer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if err := db.writer.do(t.Context(), func(tx *conn) error { return tx.exec("UPDATE answers SET document = X'7b7d'") }); err != nil {
		t.Fatal(err)
	}
	_, err = db.Store().ReadAnswer(t.Context(), key)
	if corrupt, ok := errors.AsType[*store.CorruptError](err); !ok || corrupt.Instance != "order-7" || corrupt.ExecutionID != 3 {
		t.Errorf("got %v, want a CorruptError", err)
	}
}
