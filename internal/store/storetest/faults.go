package storetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Faulty is a store that adds faults to another one. Simulations and tests of code that uses a store
// also use it.
type Faulty struct {
	store.Store
	// Before is called before each call; if it returns an error, the call returns that and has no
	// effect. Nil for none.
	Before func(operation string) error
	// After is called after each write that took effect; an error is returned instead of the write's
	// result. Nil for none.
	After func(operation string) error
}

// LoseAnswers is Options.LoseAnswers for a store in this process.
func LoseAnswers(_ *testing.T, s store.Store, n int) store.Store {
	var lost atomic.Int64
	return &Faulty{Store: s, After: func(operation string) error {
		if lost.Add(1) <= int64(n) {
			return fmt.Errorf("%w: the answer to %s is lost", store.ErrUnknownOutcome, operation)
		}
		return nil
	}}
}

// Throttle is Options.Throttle for a store in this process.
func Throttle(_ *testing.T, s store.Store) store.Store {
	return &Faulty{Store: s, Before: func(operation string) error {
		return fmt.Errorf("%w: %s is throttled", store.ErrUnavailable, operation)
	}}
}

func (f *Faulty) before(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.Before == nil {
		return nil
	}
	return f.Before(operation)
}

func (f *Faulty) write(ctx context.Context, operation string, write func() error) error {
	if err := f.before(ctx, operation); err != nil {
		return err
	}
	err := write()
	if err == nil && f.After != nil {
		err = f.After(operation)
	}
	return err
}

// Commit implements store.Store.
func (f *Faulty) Commit(ctx context.Context, c store.Commit) error {
	return f.write(ctx, "Commit", func() error { return f.Store.Commit(ctx, c) })
}

// UpdateRecord implements store.Store.
func (f *Faulty) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	return f.write(ctx, "UpdateRecord", func() error { return f.Store.UpdateRecord(ctx, instance, change) })
}

// Hide implements store.Store.
func (f *Faulty) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	return f.write(ctx, "Hide", func() error { return f.Store.Hide(ctx, instance, executionID, freeAt) })
}

// DeleteHistory implements store.Store.
func (f *Faulty) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = f.write(ctx, "DeleteHistory", func() error {
		done, err = f.Store.DeleteHistory(ctx, instance, upTo, limit)
		return err
	})
	return done && err == nil, err
}

// PutAnswer implements store.Answers.
func (f *Faulty) PutAnswer(ctx context.Context, a store.Answer) error {
	return f.write(ctx, "PutAnswer", func() error { return f.Store.PutAnswer(ctx, a) })
}

// DeleteAnswers implements store.Answers.
func (f *Faulty) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	err = f.write(ctx, "DeleteAnswers", func() error {
		done, err = f.Store.DeleteAnswers(ctx, instance, limit)
		return err
	})
	return done && err == nil, err
}

// ReadAnswer implements store.Answers.
func (f *Faulty) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if err := f.before(ctx, "ReadAnswer"); err != nil {
		return store.Answer{}, err
	}
	return f.Store.ReadAnswer(ctx, key)
}

// Read implements store.Store.
func (f *Faulty) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	if err := f.before(ctx, "Read"); err != nil {
		return nil, err
	}
	return f.Store.Read(ctx, instance, executionID, from)
}

// ReadIsolated implements store.Store.
func (f *Faulty) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	if err := f.before(ctx, "ReadIsolated"); err != nil {
		return store.Isolated{}, err
	}
	return f.Store.ReadIsolated(ctx, instance, executionID, eventID)
}

// Describe implements store.Store.
func (f *Faulty) Describe(ctx context.Context, instance string) (store.Record, error) {
	if err := f.before(ctx, "Describe"); err != nil {
		return store.Record{}, err
	}
	return f.Store.Describe(ctx, instance)
}

// List implements store.Store.
func (f *Faulty) List(ctx context.Context, q store.ListQuery) (store.ListPage, error) {
	if err := f.before(ctx, "List"); err != nil {
		return store.ListPage{}, err
	}
	return f.Store.List(ctx, q)
}
