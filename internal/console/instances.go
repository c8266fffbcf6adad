package console

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Pages of instances.
const (
	defaultPage = 50
	maxPage     = 200
)

// statuses that can be requested.
var instanceStatuses = []client.Status{
	client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusForking, client.StatusCorrupt,
	client.StatusCompleted, client.StatusFailed, client.StatusCancelled, client.StatusTerminated,
}

func (h *handler) listInstances(r *request) (api.InstanceList, error) {
	q, err := listQuery(r.query)
	if err != nil {
		return api.InstanceList{}, err
	}
	page, err := h.client.List(r.Context(), q)
	if err != nil {
		return api.InstanceList{}, err
	}
	return listOf(&page), nil
}

// list reads the newest records that a query finds, at most `most` and a number of pages, because with
// conditions a page may be short. It reports whether there are more.
func (h *handler) list(ctx context.Context, q client.ListQuery, most, pages int) (all []client.Description, more bool, err error) {
	q.PageSize = most
	for n := 1; ; n++ {
		page, err := h.client.List(ctx, q)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page.Instances...)
		if page.NextPageToken == "" {
			return all, false, nil
		}
		q.PageToken, q.PageSize = page.NextPageToken, most-len(all)
		if q.PageSize <= 0 || n == pages {
			return all, true, nil
		}
	}
}

func listOf(page *client.ListPage) api.InstanceList {
	out := api.InstanceList{Instances: make([]api.Instance, len(page.Instances)), NextPageToken: page.NextPageToken}
	for i := range page.Instances {
		out.Instances[i] = api.InstanceOf(&page.Instances[i])
		out.Instances[i].Fold(api.FoldOver)
	}
	return out
}

// listQuery reads the parameters of a list.
func listQuery(v url.Values) (client.ListQuery, error) {
	q := client.ListQuery{PageSize: defaultPage}
	for name := range v {
		value := v.Get(name)
		if value == "" {
			continue
		}
		var err error
		switch name {
		case "status":
			if q.Status = client.Status(value); !slices.Contains(instanceStatuses, q.Status) {
				err = api.Errorf(api.CodeInvalid, "status is %q: it must be one of %v", clip(value, 50), instanceStatuses)
			}
		case "name":
			q.Name = value
		case "prefix":
			q.Prefix = value
		case "where":
			q.Where, err = client.ParseWhere(value)
		case "words":
			q.Words = value
		case "version":
			q.Version = value
		case "parent":
			q.Parent = value
		case "schedule":
			q.Schedule = value
		case "queue":
			q.Queue = value
		case "from":
			q.From, err = timeOf(name, value)
		case "to":
			q.To, err = timeOf(name, value)
		case "ended_from":
			q.EndedFrom, err = timeOf(name, value)
		case "ended_to":
			q.EndedTo, err = timeOf(name, value)
		case "page_size":
			q.PageSize, err = number(name, value, 1, maxPage)
		case "page_token":
			q.PageToken = value
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

func timeOf(name, value string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return t, api.Errorf(api.CodeInvalid, "%s is %q: it must be a time such as 2026-12-01T09:30:00Z", name, clip(value, 50))
	}
	return t, nil
}

func number(name, value string, least, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return 0, api.Errorf(api.CodeInvalid, "%s is %q: it must be a number from %d to %d", name, clip(value, 50), least, most)
	}
	return n, nil
}

// number returns a parameter that is a number from 1 to most, or a default without it.
func (r *request) number(name string, most, otherwise int) (int, error) {
	if v := r.query.Get(name); v != "" {
		return number(name, v, 1, most)
	}
	return otherwise, nil
}

func (h *handler) instance(r *request) (api.Instance, error) {
	d, err := h.client.Describe(r.Context(), r.vars["id"])
	if err != nil {
		return api.Instance{}, err
	}
	return api.InstanceOf(&d), nil
}
