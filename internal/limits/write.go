package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Read reads the State of a limit.
func Read(ctx context.Context, a store.Activities, limit string) (State, error) {
	item, err := a.State(ctx, Key(limit))
	if err != nil {
		return State{}, fmt.Errorf("could not read limit %q: %w", limit, err)
	}
	return Of(limit, item.Claim)
}

// Write writes the next State of a limit if no process has written a newer version. If one has, Write returns the stored
// State and false.
func Write(ctx context.Context, a store.Activities, limit string, next *State, now time.Time, retention time.Duration) (stands State, written bool, err error) {
	claim, err := next.Claim()
	if err != nil {
		return State{}, false, err
	}
	err = a.Claim(ctx, Key(limit), claim, next.Expires(now, retention))
	if other, refused := errors.AsType[*store.ClaimedError](err); refused {
		stands, err = Of(limit, other.Found)
		return stands, false, err
	}
	if err != nil {
		return State{}, false, fmt.Errorf("could not write limit %q: %w", limit, err)
	}
	return *next, true, nil
}

// List adds a key to its list.
func List(ctx context.Context, a store.Activities, limit string, now time.Time, retention time.Duration) error {
	key := ListKey(ListOf(limit))
	item, err := a.State(ctx, key)
	for range 10 {
		var keys Keys
		if err == nil {
			keys, err = KeysOf(item.Claim)
		}
		if err != nil {
			return fmt.Errorf("could not add key %q to the list of limits: %w", limit, err)
		}
		next := keys.With(limit, now, retention)
		claim, encoding := next.Claim()
		if encoding != nil {
			return encoding
		}
		err = a.Claim(ctx, key, claim, now.Add(longRetention))
		other, refused := errors.AsType[*store.ClaimedError](err)
		if !refused {
			return err
		}
		item.Claim, err = other.Found, nil
	}
	return fmt.Errorf("could not add key %q to the list of limits: other processes changed the list during each of 10 tries", limit)
}
