package turnstile

import (
	"context"
	"encoding/json"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/around"
)

// intercepted returns the code of an activity wrapped by the interceptors; code itself if there are
// none.
func intercepted(code activities.Func, interceptors []Interceptor) activities.Func {
	for i := len(interceptors) - 1; i >= 0; i-- {
		if own := interceptors[i]; own.Activity != nil {
			code = own.aroundActivity(code)
		}
	}
	return code
}

func (i Interceptor) aroundActivity(inner activities.Func) activities.Func {
	return func(ctx context.Context, input []byte) ([]byte, error) {
		call := &ActivityCall{Input: json.RawMessage(input)}
		err := around.Run(ctx, i.mistakes(), func(ctx context.Context, next func(context.Context) error) error {
			return i.Activity(ctx, call, next)
		}, func(ctx context.Context) (err error) {
			call.Result, err = inner(ctx, input)
			return err
		})
		if err != nil {
			return nil, recordable(err)
		}
		return call.Result, nil
	}
}

// mistakes returns the panic values that name the interceptor.
func (i Interceptor) mistakes() around.Mistakes {
	return around.Mistakes{
		Panicked:    func(v any) any { return &around.Panic{Interceptor: i.Name, Value: v} },
		WithoutNext: func() any { return withoutNext(i.Name) },
	}
}
