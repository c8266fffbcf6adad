package memory_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

func TestAProcessThatLivesLongDoesNotKeepExpiredAnswers(t *testing.T) {
	t.Parallel()
	s := memory.New()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	put := func(id string) store.AnswerKey {
		a := store.Answer{AnswerKey: store.AnswerKey{Instance: "order-7", StartID: "s", ID: id}, ExecutionID: 1, ExpiresAt: now.Add(store.AnswerRetention),
			Event: history.Event{Kind: history.SystemCall, EventID: 1}}
		if err := s.PutAnswer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		return a.AnswerKey
	}
	old := put("old")
	now = now.Add(store.AnswerRetention - time.Second)
	late := put("late")
	now = now.Add(time.Second)
	for i := range 1000 {
		put(fmt.Sprint(i))
	}
	if _, err := s.ReadAnswer(t.Context(), old); !errors.Is(err, store.ErrNoAnswer) {
		t.Errorf("an expired answer is kept: %v", err)
	}
	for _, key := range []store.AnswerKey{late, {Instance: "order-7", StartID: "s", ID: "0"}, {Instance: "order-7", StartID: "s", ID: "999"}} {
		if _, err := s.ReadAnswer(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
}
