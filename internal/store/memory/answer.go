package memory

import (
	"context"
	"maps"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// answer is a stored answer.
type answer struct {
	executionID, eventID int64
	op                   string
	doc                  []byte
	expiresAt            time.Time
}

// answersPerSweep is the number of new answers after which expired ones are deleted.
const answersPerSweep = 1000

// PutAnswer implements store.Answers.
func (s *Store) PutAnswer(ctx context.Context, a store.Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.answers[a.AnswerKey]
	if ok && !a.Replaces(&store.Answer{ExecutionID: was.executionID, Event: history.Event{EventID: was.eventID, Op: was.op}}) {
		return nil
	}
	if !ok {
		s.sweepAnswers(a.ExpiresAt.Add(-store.AnswerRetention))
	}
	s.answers[a.AnswerKey] = answer{a.ExecutionID, a.Event.EventID, a.Event.Op, store.EncodeAnswer(&a.Event), time.Unix(a.ExpiresAt.Unix(), 0).UTC()}
	return nil
}

// sweepAnswers deletes the answers that have expired, once for every answersPerSweep new answers. The
// caller takes the time from the answer that it adds, which expires AnswerRetention from now.
func (s *Store) sweepAnswers(now time.Time) {
	if s.unswept++; s.unswept < answersPerSweep {
		return
	}
	s.unswept = 0
	maps.DeleteFunc(s.answers, func(_ store.AnswerKey, a answer) bool { return !a.expiresAt.After(now) })
}

// ReadAnswer implements store.Answers.
func (s *Store) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if err := ctx.Err(); err != nil {
		return store.Answer{}, err
	}
	s.mu.Lock()
	was, ok := s.answers[key]
	s.mu.Unlock()
	if !ok {
		return store.Answer{}, key.NotFound()
	}
	e, err := store.DecodeAnswer(key, was.executionID, was.doc)
	if err != nil {
		return store.Answer{}, err
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
