package console

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

const (
	// maxWakes is how many instances one request wakes.
	maxWakes = 500
	// wakesAtOnce is how many of them concurrently.
	wakesAtOnce = 8
)

func (h *handler) wakeMany(r *request, in api.WakeMany) (api.WokenMany, error) {
	ids, more := in.Instances, false
	switch {
	case len(ids) > 0 && (in.Status != "" || in.Problem != "" || in.Name != ""):
		return api.WokenMany{}, api.Errorf(api.CodeInvalid, "give either instances or status, which may have problem and name")
	case len(ids) > maxWakes:
		return api.WokenMany{}, api.Errorf(api.CodeTooLarge, "the request has %d instances: at most %d are allowed", len(ids), maxWakes)
	case len(ids) == 0 && in.Status != string(client.StatusStuck) && in.Status != string(client.StatusCorrupt):
		return api.WokenMany{}, api.Errorf(api.CodeInvalid, `give instances, or status "stuck" or "corrupt"`)
	case len(ids) == 0:
		var err error
		if ids, more, err = h.unwell(r.Context(), &in); err != nil {
			return api.WokenMany{}, err
		}
	}
	out := api.WokenMany{Sent: []string{}, More: more}
	errs := h.wakeEach(r.Context(), h.as(r.Request), ids)
	for i, id := range ids {
		if errs[i] == nil {
			out.Sent = append(out.Sent, id)
			continue
		}
		out.Failed = append(out.Failed, api.WakeFailed{Instance: id, Error: *h.explain(errs[i])})
	}
	return out, nil
}

// unwell finds the selected stuck or corrupt instances, and reports whether there may be more.
func (h *handler) unwell(ctx context.Context, in *api.WakeMany) (ids []string, more bool, err error) {
	q := client.ListQuery{Status: client.Status(in.Status), Name: in.Name, PageSize: maxWakes}
	for {
		page, err := h.client.List(ctx, q)
		if err != nil {
			return nil, false, err
		}
		for i := range page.Instances {
			d := &page.Instances[i]
			if in.Problem != "" && (d.Problem == nil || d.Problem.Kind != in.Problem) {
				continue
			}
			if len(ids) == maxWakes {
				return ids, true, nil
			}
			ids = append(ids, d.Instance)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return ids, false, nil
		}
	}
}

func (h *handler) wakeEach(ctx context.Context, c *client.Client, ids []string) []error {
	errs := make([]error, len(ids))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(wakesAtOnce, len(ids)) {
		workers.Go(func() {
			for i := range next {
				errs[i] = c.Wake(ctx, ids[i])
			}
		})
	}
	for i := range ids {
		next <- i
	}
	close(next)
	workers.Wait()
	return errs
}
