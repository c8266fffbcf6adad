package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// answer is a stored answer.
type answer struct {
	executionID, eventID int64
	doc                  []byte
	expiresAt            time.Time
}

// PutAnswer implements store.Answers.
func (s *Store) PutAnswer(ctx context.Context, a store.Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.answers[a.AnswerKey]; ok && !a.After(&store.Answer{ExecutionID: was.executionID, Event: history.Event{EventID: was.eventID}}) {
		return nil
	}
	s.answers[a.AnswerKey] = answer{a.ExecutionID, a.Event.EventID, store.EncodeAnswer(&a.Event), a.ExpiresAt}
	return nil
}

// ReadAnswer implements store.Answers.
func (s *Store) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if err := ctx.Err(); err != nil {
		return store.Answer{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.answers[key]
	if !ok {
		return store.Answer{}, fmt.Errorf("store: update %q of instance %q: %w", key.ID, key.Instance, store.ErrNoAnswer)
	}
	e, err := store.DecodeAnswer(was.doc)
	if err != nil {
		return store.Answer{}, fmt.Errorf("store: update %q of instance %q: %w", key.ID, key.Instance, err)
	}
	return store.Answer{AnswerKey: key, ExecutionID: was.executionID, Event: e, ExpiresAt: was.expiresAt}, nil
}

// DeleteAnswers implements store.Answers.
func (s *Store) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	deleted := 0
	for key := range s.answers {
		if key.Instance != instance {
			continue
		}
		if limit > 0 && deleted == limit {
			return false, nil
		}
		delete(s.answers, key)
		deleted++
	}
	return true, nil
}
