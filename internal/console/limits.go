package console

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// limits returns the limits, or those with a key: of attempts of activities, of instances, or of
// both.
func (h *handler) limits(r *request) (api.LimitList, error) {
	out := api.LimitList{At: h.now().UTC(), Limits: []client.Limit{}}
	key, of := r.query.Get("key"), r.query.Get("of")
	if of != "" && of != "activities" && of != "instances" {
		return out, api.Errorf(api.CodeInvalid, "of is %q, it can be activities or instances", of)
	}
	var err error
	if of != "instances" {
		var all []client.Limit
		if all, err = h.attemptLimits(r.Context(), key); err != nil && (of != "" || !errors.Is(err, client.ErrNoActivities)) {
			return out, offered(err)
		}
		out.Limits = append(out.Limits, all...)
	}
	if of != "activities" {
		all, errOf := h.instanceLimits(r.Context(), key)
		if errOf != nil && (of != "" || !errors.Is(errOf, client.ErrNotFound)) {
			return out, errOf
		}
		out.Limits = append(out.Limits, all...)
	}
	if len(out.Limits) == 0 {
		return out, offered(err)
	}
	return out, nil
}

func (h *handler) attemptLimits(ctx context.Context, key string) ([]client.Limit, error) {
	if key == "" {
		return h.client.Limits(ctx)
	}
	l, err := h.client.Limit(ctx, key)
	return []client.Limit{l}, err
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
	c := h.as(r.Request)
	if in.Instances {
		return h.limitBehind(r.Context(), in.Key, true, c.SetInstanceLimit(r.Context(), in.Key, *in.Permits))
	}
	return h.limitBehind(r.Context(), in.Key, false, c.SetLimit(r.Context(), in.Key, *in.Permits))
}

func (h *handler) resetLimit(r *request, in api.ResetLimit) (client.Limit, error) {
	c := h.as(r.Request)
	if in.Instances {
		return h.limitBehind(r.Context(), in.Key, true, c.ResetInstanceLimit(r.Context(), in.Key))
	}
	return h.limitBehind(r.Context(), in.Key, false, c.ResetLimit(r.Context(), in.Key))
}

// limitBehind is how a limit stands after it was changed. A gate takes its order a moment later.
func (h *handler) limitBehind(ctx context.Context, key string, instances bool, err error) (client.Limit, error) {
	switch {
	case err != nil:
		return client.Limit{}, offered(err)
	case instances:
		return h.client.InstanceLimit(ctx, key)
	}
	return h.client.Limit(ctx, key)
}

// offered says that a console without the activities table knows nothing of limits.
func offered(err error) error {
	if errors.Is(err, client.ErrNoActivities) {
		return api.Errorf(api.CodeNotOffered, "this console was not given the activities table, where limits stand")
	}
	return err
}
