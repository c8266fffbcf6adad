package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/store"
)

// ErrNoStore is what a [Client] without a Store returns for all that has to look
// at an instance.
var ErrNoStore = errors.New("turnstile: this client has no Store (on AWS: no TURNSTILE_HISTORY_TABLE and TURNSTILE_INSTANCES_TABLE): it can start and signal instances, and cannot read them")

// noStore is the store of a client that reads nothing.
type noStore struct{ store.Store }

func (noStore) Describe(context.Context, string) (store.Record, error) {
	return store.Record{}, ErrNoStore
}

func (noStore) Read(context.Context, string, int64, int64) ([]store.Turn, error) {
	return nil, ErrNoStore
}

func (noStore) List(context.Context, store.ListQuery) (store.ListPage, error) {
	return store.ListPage{}, ErrNoStore
}

// blind reports whether the client reads nothing.
func (c *Client) blind() bool { _, none := c.cfg.Store.(noStore); return none }
