package bill

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/store"
)

// answered records the updates whose answers are stored, by instance.
type answered struct {
	mu sync.Mutex
	of map[string]map[store.AnswerKey]bool
}

func (k *answered) note(key store.AnswerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[string]map[store.AnswerKey]bool{}
	}
	if k.of[key.Instance] == nil {
		k.of[key.Instance] = map[store.AnswerKey]bool{}
	}
	k.of[key.Instance][key] = true
}

func (k *answered) keys(instance string) (keys []store.AnswerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.of[instance] {
		keys = append(keys, key)
	}
	return keys
}

func (k *answered) forget(key store.AnswerKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if delete(k.of[key.Instance], key); len(k.of[key.Instance]) == 0 {
		delete(k.of, key.Instance)
	}
}

// PutAnswer is a conditional write. It costs as much as the larger of the two answers, also if the
// condition fails.
func (s meteredStore) PutAnswer(ctx context.Context, a store.Answer) error {
	before := s.answerSize(ctx, a.AnswerKey)
	err := s.Store.PutAnswer(ctx, a)
	if err == nil {
		s.answered.note(a.AnswerKey)
	}
	s.charge(units(max(before, AnswerSize(&a)), writeUnit), false)
	return err
}

func (s meteredStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	a, err := s.Store.ReadAnswer(ctx, key)
	size := 0
	if err == nil {
		size = AnswerSize(&a)
	}
	s.m.Request(ReadUnits, units(size, readUnit))
	return a, err
}

// DeleteAnswers reads the answers of the instance, and pays for the size of those that it deletes.
func (s meteredStore) DeleteAnswers(ctx context.Context, instance string, limit int) (bool, error) {
	before := map[store.AnswerKey]int{}
	for _, key := range s.answered.keys(instance) {
		before[key] = s.answerSize(ctx, key)
	}
	done, err := s.Store.DeleteAnswers(ctx, instance, limit)
	read, deleted := 0, 0.0
	for key, size := range before {
		if s.answerSize(ctx, key) > 0 {
			continue
		}
		s.answered.forget(key)
		if size > 0 {
			read += size
			deleted += units(size, writeUnit)
		}
	}
	s.m.Request(ReadUnits, units(read, readUnit))
	if deleted > 0 {
		s.charge(deleted, false)
	}
	return done, err
}

// answerSize returns the size of the stored answer to an update; 0 if there is none.
func (s meteredStore) answerSize(ctx context.Context, key store.AnswerKey) int {
	a, err := s.Store.ReadAnswer(ctx, key)
	if err != nil {
		return 0
	}
	return AnswerSize(&a)
}

// AnswerSize returns the size of the item that stores an answer. Its sort key has 37 digits; one answer in
// ten has a shorter one, and is a byte smaller.
func AnswerSize(a *store.Answer) int {
	const sortKey = 20
	open := 0
	if a.Open() {
		open = len("open") + 1
	}
	return open + len("execution") + len("0#") + len(a.Instance) + len("event_id") + sortKey +
		len("start_id") + len(a.StartID) + len("update_id") + len(a.ID) +
		len("execution_id") + numberSize(a.ExecutionID) + len("answer_event_id") + numberSize(a.Event.EventID) +
		len("expires_at") + numberSize(a.ExpiresAt.Unix()) + len("events") + StoredSize(store.EncodeAnswer(&a.Event))
}
