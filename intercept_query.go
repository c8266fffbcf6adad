package turnstile

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/around"
)

// InterceptQuery runs the interceptors of the application around answer, which sets call.Output. Package
// client calls it. It panics as an interceptor does.
func (a *App) InterceptQuery(ctx context.Context, call *QueryCall, answer func(context.Context) error) error {
	for n := len(a.interceptors) - 1; n >= 0; n-- {
		i, inner := a.interceptors[n], answer
		if i.Query == nil {
			continue
		}
		answer = func(ctx context.Context) error {
			return around.Run(ctx, i.mistakes(), func(ctx context.Context, next func(context.Context) error) error {
				return i.Query(ctx, call, next)
			}, inner)
		}
	}
	return answer(ctx)
}
