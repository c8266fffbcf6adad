package acts

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// SetLimit changes a limit or a rate.
var SetLimit = &Act[api.SetLimit, client.Limit]{Row{
	Path: "limits/set", Title: "Set a limit", Final: true,
	Summary: "Set the number of attempts or instances with a key that may run at a time, or the number of attempts that may start per period.",
	Does:    "The number overrides the code, including later deployments, until it is reset. Attempts and instances that hold a permit keep it.",
	Tool:    Tool{Name: "set_limit", Title: "Set a limit", When: "dry_run returns the current state."},
}, func(ctx context.Context, on *On, in api.SetLimit) (client.Limit, error) {
	c := on.Client
	switch most := turnstile.MaxTimer.Milliseconds(); {
	case in.Permits == nil:
		return client.Limit{}, api.Errorf(api.CodeInvalid, "permits is missing: give a number from 0 to 100")
	case in.Instances && in.Rate:
		return client.Limit{}, errTwoLimits
	case in.PerMS != 0 && !in.Rate:
		return client.Limit{}, api.Errorf(api.CodeInvalid, "per_ms requires rate")
	case in.PerMS < 0 || in.PerMS > most:
		return client.Limit{}, api.Errorf(api.CodeInvalid, "per_ms is %d: it must be from 0 to %d", in.PerMS, most)
	case in.Instances:
		return after(ctx, in.Key, c.InstanceLimit, c.SetInstanceLimit(ctx, in.Key, *in.Permits))
	case in.Rate:
		return after(ctx, in.Key, c.Rate, c.SetRate(ctx, in.Key, *in.Permits, time.Duration(in.PerMS)*time.Millisecond))
	}
	return after(ctx, in.Key, c.Limit, c.SetLimit(ctx, in.Key, *in.Permits))
}}

// ResetLimit undoes SetLimit.
var ResetLimit = &Act[api.ResetLimit, client.Limit]{Row{
	Path: "limits/reset", Title: "Reset a limit", Final: true,
	Summary: "Reset a limit or a rate to the number in the code.",
	Does:    "The number in the code applies again. Attempts and instances that hold a permit keep it.",
}, func(ctx context.Context, on *On, in api.ResetLimit) (client.Limit, error) {
	c := on.Client
	switch {
	case in.Instances && in.Rate:
		return client.Limit{}, errTwoLimits
	case in.Instances:
		return after(ctx, in.Key, c.InstanceLimit, c.ResetInstanceLimit(ctx, in.Key))
	case in.Rate:
		return after(ctx, in.Key, c.Rate, c.ResetRate(ctx, in.Key))
	}
	return after(ctx, in.Key, c.Limit, c.ResetLimit(ctx, in.Key))
}}

var errTwoLimits = api.Errorf(api.CodeInvalid, "give instances or rate, not both: instances have no rate")

// after returns the state of a limit after a change. The coordinator of a limit of instances applies it a
// moment later.
func after(ctx context.Context, key string, read func(context.Context, string) (client.Limit, error), err error) (client.Limit, error) {
	if err != nil {
		return client.Limit{}, err
	}
	return read(ctx, key)
}
