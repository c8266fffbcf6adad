package console

import (
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// limits returns the limits and rates, of activity attempts, of instances, or of both. With a key
// it returns only those with that key.
func (h *handler) limits(r *request) (api.LimitList, error) {
	out := api.LimitList{At: h.now().UTC(), Limits: []client.Limit{}}
	key, of := r.query.Get("key"), r.query.Get("of")
	if of != "" && of != "activities" && of != "instances" && (of != "rates" || key == "") {
		return out, api.Errorf(api.CodeInvalid, "parameter of is %q: it must be activities, instances or, with a key, rates", of)
	}
	var err error
	if of != "instances" {
		var all []client.Limit
		if all, err = h.attemptLimits(r.Context(), key, of); err != nil && (of != "" || !errors.Is(err, client.ErrNoActivities)) {
			return out, err
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
		return out, err
	}
	// The limits of attempts and those of instances are each in this order already.
	slices.SortStableFunc(out.Limits, func(a, b client.Limit) int { return waiting(&b) - waiting(&a) })
	return out, nil
}

// waiting returns how many attempts or instances wait.
func waiting(l *client.Limit) int { return max(l.Length, len(l.Waiting)) }

// attemptLimits returns the limits of activities or, with a key, the limit, the rate or both. If
// both are requested, it returns those that an attempt has used or an operator has set.
func (h *handler) attemptLimits(ctx context.Context, key, of string) (all []client.Limit, err error) {
	if key == "" {
		return h.client.Limits(ctx)
	}
	for _, kind := range []struct {
		of   string
		read func(context.Context, string) (client.Limit, error)
	}{{"activities", h.client.Limit}, {"rates", h.client.Rate}} {
		if of != "" && of != kind.of {
			continue
		}
		l, err := kind.read(ctx, key)
		if err != nil {
			return nil, err
		}
		if of != "" || l.Permits > 0 || !l.SetAt.IsZero() {
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
