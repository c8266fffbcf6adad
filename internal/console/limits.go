package console

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// limits returns the limits and rates, or those with a key: of attempts of activities, of
// instances, or of both.
func (h *handler) limits(r *request) (api.LimitList, error) {
	out := api.LimitList{At: h.now().UTC(), Limits: []client.Limit{}}
	key, of := r.query.Get("key"), r.query.Get("of")
	if of != "" && of != "activities" && of != "instances" && (of != "rates" || key == "") {
		return out, api.Errorf(api.CodeInvalid, "of is %q, it can be activities or instances, and rates with a key", of)
	}
	var err error
	if of != "instances" {
		var all []client.Limit
		if all, err = h.attemptLimits(r.Context(), key, of); err != nil && (of != "" || !errors.Is(err, client.ErrNoActivities)) {
			return out, offered(err)
		}
		out.Limits = append(out.Limits, all...)
	}
	if of == "" || of == "instances" {
		all, errOf := h.instanceLimits(r.Context(), key)
		if errOf != nil && (of != "" || !errors.Is(errOf, client.ErrNotFound)) {
			return out, errOf
		}
		out.Limits = append(out.Limits, all...)
	}
	if len(out.Limits) == 0 {
		return out, offered(err)
	}
	// Those of attempts and those of instances are in this order already, each for themselves.
	slices.SortStableFunc(out.Limits, func(a, b client.Limit) int { return waiting(&b) - waiting(&a) })
	return out, nil
}

// waiting is how many wait.
func waiting(l *client.Limit) int { return max(l.Length, len(l.Waiting)) }

// attemptLimits are those of activities, or the limit, the rate or both with a key.
func (h *handler) attemptLimits(ctx context.Context, key, of string) (all []client.Limit, err error) {
	if key == "" {
		return h.client.Limits(ctx)
	}
	if of != "rates" {
		l, err := h.client.Limit(ctx, key)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if of != "activities" {
		l, err := h.client.Rate(ctx, key)
		if err != nil {
			return nil, err
		}
		if of == "rates" || l.Permits > 0 || !l.SetAt.IsZero() {
			all = append(all, l)
		}
	}
	return all, nil
}

func (h *handler) instanceLimits(ctx context.Context, key string) ([]client.Limit, error) {
	if key == "" {
		return h.client.InstanceLimits(ctx)
	}
	l, err := h.client.InstanceLimit(ctx, key)
	if err != nil {
		return nil, err
	}
	return []client.Limit{l}, nil
}

func (h *handler) setLimit(r *request, in api.SetLimit) (client.Limit, error) {
	if in.Permits == nil {
		return client.Limit{}, api.Errorf(api.CodeInvalid, "permits is missing: a number from 0 to 100")
	}
	c, ctx := h.as(r.Request), r.Context()
	switch {
	case in.Instances && in.Rate:
		return client.Limit{}, errTwoLimits
	case in.PerMS != 0 && !in.Rate:
		return client.Limit{}, api.Errorf(api.CodeInvalid, "per_ms is of a rate: give rate too")
	case in.Instances:
		return limitBehind(ctx, in.Key, h.client.InstanceLimit, c.SetInstanceLimit(ctx, in.Key, *in.Permits))
	case in.Rate && (in.PerMS < 0 || in.PerMS > turnstile.MaxTimer.Milliseconds()):
		return client.Limit{}, api.Errorf(api.CodeInvalid, "per_ms is %d, it must be from 0 to %d", in.PerMS, turnstile.MaxTimer.Milliseconds())
	case in.Rate:
		return limitBehind(ctx, in.Key, h.client.Rate, c.SetRate(ctx, in.Key, *in.Permits, time.Duration(in.PerMS)*time.Millisecond))
	}
	return limitBehind(ctx, in.Key, h.client.Limit, c.SetLimit(ctx, in.Key, *in.Permits))
}

func (h *handler) resetLimit(r *request, in api.ResetLimit) (client.Limit, error) {
	c, ctx := h.as(r.Request), r.Context()
	switch {
	case in.Instances && in.Rate:
		return client.Limit{}, errTwoLimits
	case in.Instances:
		return limitBehind(ctx, in.Key, h.client.InstanceLimit, c.ResetInstanceLimit(ctx, in.Key))
	case in.Rate:
		return limitBehind(ctx, in.Key, h.client.Rate, c.ResetRate(ctx, in.Key))
	}
	return limitBehind(ctx, in.Key, h.client.Limit, c.ResetLimit(ctx, in.Key))
}

var errTwoLimits = api.Errorf(api.CodeInvalid, "give instances or rate, not both: instances have no rate")

// limitBehind is how a limit stands after it was changed. A gate takes its order a moment later.
func limitBehind(ctx context.Context, key string, read func(context.Context, string) (client.Limit, error), err error) (client.Limit, error) {
	if err != nil {
		return client.Limit{}, offered(err)
	}
	return read(ctx, key)
}

// offered says that a console without the activities table knows nothing of limits.
func offered(err error) error {
	if errors.Is(err, client.ErrNoActivities) {
		return api.Errorf(api.CodeNotOffered, "this console was not given the activities table, where limits stand")
	}
	return err
}
