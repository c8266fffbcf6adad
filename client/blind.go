package client

import (
	"context"

	"github.com/turnstile-go/turnstile/store"
)

// noStore is the store of a client that cannot read.
type noStore struct{ store.Store }

func (noStore) Describe(context.Context, string) (store.Record, error) {
	return store.Record{}, ErrNoStore
}

func (noStore) Read(context.Context, string, int64, int64) ([]store.Turn, error) {
	return nil, ErrNoStore
}

func (noStore) ReadAnswer(context.Context, store.AnswerKey) (store.Answer, error) {
	return store.Answer{}, ErrNoStore
}

func (noStore) List(context.Context, store.ListQuery) (store.ListPage, error) {
	return store.ListPage{}, ErrNoStore
}

// blind reports whether the client cannot read.
func (c *Client) blind() bool { _, none := c.cfg.Store.(noStore); return none }
