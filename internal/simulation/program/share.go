package program

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// Several parents request a shared instance under one id. It is the child of the first; the others
// find it running or ended, and wait for its outcome.

func sharedName(n int) string { return fmt.Sprintf("shared%d", n) }

// shared takes some time, and continues as new in between.
func shared(ctx *engine.Context, input []byte) ([]byte, error) {
	first := string(input) == `{}`
	d := 40 * time.Minute
	if first {
		d = 30 * time.Second
	}
	if _, err := ctx.Await(ctx.Timer(d)); err != nil {
		return nil, err
	}
	if first {
		return nil, ctx.ContinueAsNew("", []byte(`{"round":1}`), nil)
	}
	return fmt.Appendf(nil, "%q", "shared "+ctx.Info().Instance), nil
}

func (r *interpreter) share(ctx *engine.Context, s *Statement) (Token, error) {
	child := ctx.Child(engine.ChildCall{Name: "shared", Instance: sharedName(s.N), Input: []byte(`{}`), UseExisting: true})
	if s.Fails > 0 {
		return r.first(ctx, child, ctx.Timer(s.Duration))
	}
	return r.await(ctx, KindNames[kShare], child)
}
