package main

import (
	"context"
	"errors"
)

func newTurnstile(ctx context.Context, file, synchronous string) (engine, error) {
	return nil, errors.New("not yet")
}
