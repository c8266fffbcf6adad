package world

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/store"
)

// callersStore is the store as clients see it that read the answers to their updates.
type callersStore struct {
	store.Store
	w *World
}

// ForCallers returns the store as clients see it.
func (w *World) ForCallers() store.Store { return callersStore{w.Store, w} }

func (s callersStore) fails() error {
	if s.w.refuses(theStore, nil) || s.w.hit(fault.ClientFails) {
		return fmt.Errorf("%w (simulated)", store.ErrUnavailable)
	}
	return nil
}

func (s callersStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	if err := s.fails(); err != nil {
		return store.Record{}, err
	}
	return s.Store.Describe(ctx, instance)
}

func (s callersStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	if err := s.fails(); err != nil {
		return nil, err
	}
	turns, err := s.Store.Read(ctx, instance, executionID, from)
	return s.w.damagedRead(instance, executionID, turns, err)
}

func (s callersStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if err := s.fails(); err != nil {
		return store.Answer{}, err
	}
	a, err := s.Store.ReadAnswer(ctx, key)
	if err == nil {
		s.w.Watch.ReadsAnswer(nil, &a)
	}
	return a, err
}
