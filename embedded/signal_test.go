package embedded

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

func TestAnAnswerWakesThoseWhoWaitForItsInstance(t *testing.T) {
	t.Parallel()
	changed := newChanges()
	s := watchedStore{memory.New(), changed}
	one, any := changed.wait("order-7"), changed.wait("")
	a := store.Answer{AnswerKey: store.AnswerKey{Instance: "order-7", StartID: "s", ID: "u"}, ExecutionID: 1, ExpiresAt: time.Unix(4e9, 0), Event: history.Event{Kind: history.SystemCall, EventID: 1}}
	if err := s.PutAnswer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, woken := range []<-chan struct{}{one, any} {
		select {
		case <-woken:
		default:
			t.Error("an answer wakes no waiter")
		}
	}
	if _, err := s.ReadAnswer(t.Context(), a.AnswerKey); err != nil {
		t.Error(err)
	}
}
