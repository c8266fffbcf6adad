package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// verdict is what one attempt at a write means to its caller.
type verdict struct {
	kind verdictKind
	err  error
}

type verdictKind uint8

const (
	// settled means that the write took effect, or no longer can; err (nil or not) is the result,
	// whatever earlier attempts have done.
	settled verdictKind = iota
	// rejected means that this attempt had no effect and repeating it does not help; an earlier
	// attempt with an unknown outcome may still succeed.
	rejected
	// again means that the attempt had no effect, for a temporary reason.
	again
	// open means that the outcome is not known.
	open
)

const (
	firstDelay = 25 * time.Millisecond
	maxDelay   = 2 * time.Second
)

// repeat makes identical attempts at a write until one gets a definite response. When the attempts are
// used up, or the context ends, it returns what is known: ErrUnavailable if no attempt can have taken
// effect, else ErrUnknownOutcome. It reads nothing back, because finding nothing after an unknown
// outcome would prove nothing.
func (c *Config) repeat(ctx context.Context, r request, attempt func(ctx context.Context) verdict) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("store: %s not started: %w", r, err)
	}
	var lost error
	for n := 1; ; n++ {
		v := c.bounded(ctx, attempt)
		switch v.kind {
		case settled:
			return v.err
		case rejected:
			if lost != nil {
				return unknownOutcome(ctx, r, n, errors.Join(lost, v.err))
			}
			return v.err
		case open:
			lost = v.err
		}
		if n == c.Attempts || ctx.Err() != nil || c.Sleep(ctx, c.delay(n)) != nil {
			if lost != nil {
				return unknownOutcome(ctx, r, n, lost)
			}
			return unavailable(ctx, r, n, v.err)
		}
	}
}

// read repeats a read. A read has no effect that could be unknown, so if temporary errors persist, it
// returns ErrUnavailable.
func (c *Config) read(ctx context.Context, r request, attempt func(ctx context.Context) error) error {
	return c.repeat(ctx, r, func(ctx context.Context) verdict {
		err := attempt(ctx)
		switch outcomeOf(err) {
		case done:
			return verdict{kind: settled}
		case busy, unknown:
			return verdict{again, err}
		}
		return unsettled(r, err)
	})
}

func (c *Config) bounded(ctx context.Context, attempt func(ctx context.Context) verdict) verdict {
	ctx, cancel := context.WithTimeout(ctx, c.AttemptTimeout)
	defer cancel()
	return attempt(ctx)
}

// delay returns how long to wait after attempt n. The whole delay is random, so that writers that
// conflicted do not conflict again.
func (c *Config) delay(n int) time.Duration {
	bound := min(firstDelay<<min(n-1, 10), maxDelay)
	return time.Duration(c.Random() % uint64(bound))
}

func unknownOutcome(ctx context.Context, r request, attempts int, err error) error {
	return fmt.Errorf("%w: %s, after %d attempts: %w", store.ErrUnknownOutcome, r, attempts, errors.Join(err, ctx.Err()))
}

func unavailable(ctx context.Context, r request, attempts int, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s, after %d attempts: %w", store.ErrUnavailable, r, attempts, errors.Join(err, ctx.Err()))
	}
	return fmt.Errorf("%w: %s, after %d attempts: %w", store.ErrUnavailable, r, attempts, err)
}
