package console

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// limits returns the limits over instances, or one of them.
func (h *handler) limits(r *request) (api.LimitList, error) {
	out := api.LimitList{At: h.now().UTC(), Limits: []client.Limit{}}
	if key := r.query.Get("key"); key != "" {
		l, err := h.client.Limit(r.Context(), key)
		out.Limits = append(out.Limits, l)
		return out, offered(err)
	}
	all, err := h.client.Limits(r.Context())
	out.Limits = append(out.Limits, all...)
	return out, offered(err)
}

func (h *handler) setLimit(r *request, in api.SetLimit) (client.Limit, error) {
	if in.Permits == nil {
		return client.Limit{}, api.Errorf(api.CodeInvalid, "permits is missing: a number from 0 to 100")
	}
	return h.limitBehind(r.Context(), in.Key, h.as(r.Request).SetLimit(r.Context(), in.Key, *in.Permits))
}

func (h *handler) resetLimit(r *request, in api.ResetLimit) (client.Limit, error) {
	return h.limitBehind(r.Context(), in.Key, h.as(r.Request).ResetLimit(r.Context(), in.Key))
}

// limitBehind is how a limit stands after it was changed.
func (h *handler) limitBehind(ctx context.Context, key string, err error) (client.Limit, error) {
	if err != nil {
		return client.Limit{}, offered(err)
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
