package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/around"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// interceptedKey holds, in the context of an interceptor's own code, the client that it intercepts.
type interceptedKey struct{}

// intercepted runs a call with its item inside the interceptors. The item already has its id, so a
// repeat sends the same message.
func (c *Client) intercepted(ctx context.Context, operation string, item wire.Item, payload []byte, do func(context.Context, wire.Item) error) error {
	if len(c.around) == 0 {
		return do(ctx, item)
	}
	if ctx.Value(interceptedKey{}) == c.self {
		return &turnstile.MisuseError{Call: "Client." + operation, Problem: "an interceptor made this call inside a call that it intercepts: " +
			"use a client without that interceptor"}
	}
	call := &turnstile.ClientCall{Operation: operation, Instance: item.Instance, Name: strings.TrimPrefix(item.Name, history.UpdatePrefix), Actor: c.actor, Payload: payload, Headers: item.Headers}
	run := func(ctx context.Context) error {
		if err := wire.CheckHeaders(call.Headers); err != nil {
			return &turnstile.InvalidArgumentError{Call: "Client." + operation, Argument: "headers", Problem: "cannot be sent: " + err.Error()}
		}
		item.Headers = call.Headers
		return do(ctx, item)
	}
	for n := len(c.around) - 1; n >= 0; n-- {
		i, inner := c.around[n], run
		run = func(ctx context.Context) error {
			own := context.WithValue(ctx, interceptedKey{}, c.self)
			return around.Run(own, mistakes(i.Name), func(ctx context.Context, next func(context.Context) error) error {
				return i.Client(ctx, call, next)
			}, func(ctx context.Context) error {
				return inner(context.WithValue(ctx, interceptedKey{}, nil))
			})
		}
	}
	return run(ctx)
}

func mistakes(name string) around.Mistakes {
	return around.Mistakes{
		Panicked: func(v any) any { return &around.Panic{Interceptor: name, Value: v} },
		WithoutNext: func() any {
			return &turnstile.MisuseError{Call: fmt.Sprintf("interceptor %q", name), Problem: "it returned no error and did not call next: call next, or return an error"}
		},
	}
}
