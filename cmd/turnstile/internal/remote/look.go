package remote

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Describe returns how an instance stands.
func (c *Client) Describe(ctx context.Context, instance string) (client.Description, error) {
	var got api.Instance
	if _, err := c.get(ctx, "instances/"+segment(instance), nil, &got); err != nil {
		return client.Description{}, err
	}
	return DescriptionOf(&got), nil
}

// DescriptionOf is an instance as a client describes it.
func DescriptionOf(i *api.Instance) client.Description {
	d := client.Description{
		Instance: i.Instance, Name: i.Name, Version: i.Version, Status: client.Status(i.Status),
		ExecutionID: i.ExecutionID, FirstExecution: max(i.FirstExecution, 1), Pruned: i.Pruned, StartID: i.StartID,
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, EndedAt: i.EndedAt, SearchAttributes: i.SearchAttributes,
		ForkOf: i.ForkOf, Forked: i.Forked, Forks: i.Forks,
		CustomStatus: i.CustomStatus, Output: i.Output, Problem: i.Problem, Suspension: i.Suspension, LoopedAt: i.LoopedAt,
	}
	if i.Failure != nil {
		d.Failure = i.Failure.History()
	}
	if i.Sealed != "" {
		d.Sealed = errors.New(i.Sealed)
	}
	if p := i.Parent; p != nil {
		d.Parent = &client.Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
	}
	return d
}

// Wait waits for the end of an instance.
func (c *Client) Wait(ctx context.Context, instance string) (client.Description, error) {
	return c.WaitUntil(ctx, instance, func(d *client.Description) bool { return d.Status.Terminal() })
}

// Confirm waits until an instance has a record, and returns an error if another
// start made it.
func (c *Client) Confirm(ctx context.Context, _ string, started client.Started) error {
	d, err := c.WaitUntil(ctx, started.Instance, func(d *client.Description) bool { return d.ExecutionID > started.After })
	if err == nil && started.StartID != "" && d.StartID != started.StartID {
		return &client.AlreadyExistsError{Instance: d.Instance, StartID: d.StartID, Name: d.Name, Status: d.Status}
	}
	return err
}

// WaitUntil waits until enough returns true for an instance.
func (c *Client) WaitUntil(ctx context.Context, instance string, enough func(*client.Description) bool) (client.Description, error) {
	var last *client.Description
	for {
		d, err := c.Describe(ctx, instance)
		switch {
		case errors.Is(err, client.ErrNotFound), errors.Is(err, store.ErrUnavailable):
		case ctx.Err() != nil:
			return client.Description{}, &client.WaitError{Instance: instance, Last: last, Err: ctx.Err()}
		case err != nil:
			return client.Description{}, err
		default:
			if last = &d; enough(last) {
				return d, nil
			}
		}
		if !c.pause(ctx) {
			return client.Description{}, &client.WaitError{Instance: instance, Last: last, Err: ctx.Err()}
		}
	}
}

// kinds of scheduling events by the kinds of rows.
var kinds = map[string]history.Kind{
	"activity": history.ActivityScheduled, "inline": history.ActivityScheduled, "timer": history.TimerCreated,
	"wait": history.ExternalSubscribed, "child": history.SubOrchestrationScheduled,
}

// Waiting returns what an instance has under way, and which events nothing took.
func (c *Client) Waiting(ctx context.Context, instance string) (client.Waiting, error) {
	var got api.WaitingFor
	if _, err := c.get(ctx, "instances/"+segment(instance)+"/waiting-for", nil, &got); err != nil {
		return client.Waiting{}, err
	}
	var out client.Waiting
	for _, e := range got.Untaken {
		out.Untaken = append(out.Untaken, client.UntakenEvent(e))
	}
	for i := range got.Operations {
		o := &got.Operations[i]
		open := client.PendingOperation{Kind: kinds[o.Kind], EventID: o.EventID, Name: o.Name, Label: o.Label, ScheduledAt: o.ScheduledAt, Instance: o.Instance}
		if open.Kind == history.TimerCreated {
			open.DueAt = o.DueAt
		}
		if ch := o.Child; ch != nil {
			open.Child = &client.Description{Instance: ch.Instance, Name: ch.Name, Version: ch.Version, Status: client.Status(ch.Status), Problem: ch.Problem}
		}
		out.Open = append(out.Open, open)
	}
	return out, nil
}

// Export returns the history of an execution; 0 is the current one.
func (c *Client) Export(ctx context.Context, instance string, execution int64) (history.Export, error) {
	q := url.Values{}
	if execution > 0 {
		q.Set("execution", strconv.FormatInt(execution, 10))
	}
	text, err := c.get(ctx, "instances/"+segment(instance)+"/export", q, nil)
	if err != nil {
		return history.Export{}, err
	}
	return history.DecodeExport(text)
}

// Timeline returns what happened in the newest executions of an instance; with at as
// it stood after that event.
func (c *Client) Timeline(ctx context.Context, instance string, executions int, at string) (api.Timeline, error) {
	var got api.Timeline
	v := url.Values{"executions": {strconv.Itoa(executions)}}
	if at != "" {
		v.Set("at", at)
	}
	_, err := c.get(ctx, "instances/"+segment(instance)+"/timeline", v, &got)
	return got, err
}

// Attempts returns the attempts of the activity that an event has scheduled; execution 0
// is the current one.
func (c *Client) Attempts(ctx context.Context, instance string, execution, event int64) (api.Attempts, error) {
	which := "current"
	if execution > 0 {
		which = strconv.FormatInt(execution, 10)
	}
	var got api.Attempts
	_, err := c.get(ctx, "instances/"+segment(instance)+"/executions/"+which+"/events/"+strconv.FormatInt(event, 10)+"/attempts", nil, &got)
	return got, err
}

// Difference compares two executions; 0 is the current one.
func (c *Client) Difference(ctx context.Context, a string, executionA int64, b string, executionB int64, all bool) (api.Difference, error) {
	v := url.Values{"a": {a}, "b": {b}, "all": {strconv.FormatBool(all)}}
	if executionA > 0 {
		v.Set("a_execution", strconv.FormatInt(executionA, 10))
	}
	if executionB > 0 {
		v.Set("b_execution", strconv.FormatInt(executionB, 10))
	}
	var got api.Difference
	_, err := c.get(ctx, "difference", v, &got)
	return got, err
}

// Code says where the code of an instance waits.
func (c *Client) Code(ctx context.Context, instance string) (api.CodeWaits, error) {
	var got api.CodeWaits
	_, err := c.get(ctx, "instances/"+segment(instance)+"/code", nil, &got)
	return got, err
}

// maxPage is how many instances the API lists at once.
const maxPage = 200

// List returns a page of instances. Payloads that are long are left out.
func (c *Client) List(ctx context.Context, q client.ListQuery) (client.ListPage, error) {
	var got api.InstanceList
	if _, err := c.get(ctx, "instances", listed(&q), &got); err != nil {
		return client.ListPage{}, err
	}
	page := client.ListPage{NextPageToken: got.NextPageToken}
	for i := range got.Instances {
		page.Instances = append(page.Instances, DescriptionOf(&got.Instances[i]))
	}
	return page, nil
}

// Failures returns what has failed between two times, by cause; with a key only of
// this cause, with its instances.
func (c *Client) Failures(ctx context.Context, q client.ListQuery, key string) (api.FailureList, error) {
	v := listed(&q)
	v.Del("page_size")
	if key != "" {
		v.Set("cause", key)
	}
	var got api.FailureList
	_, err := c.get(ctx, "failures", v, &got)
	return got, err
}

func listed(q *client.ListQuery) url.Values {
	v := url.Values{"page_size": {strconv.Itoa(min(max(q.PageSize, 1), maxPage))}}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("status", string(q.Status))
	set("name", q.Name)
	set("prefix", q.Prefix)
	set("words", q.Words)
	set("version", q.Version)
	set("parent", q.Parent)
	set("schedule", q.Schedule)
	set("queue", q.Queue)
	set("page_token", q.PageToken)
	if !q.From.IsZero() {
		set("from", q.From.UTC().Format(time.RFC3339Nano))
	}
	if !q.To.IsZero() {
		set("to", q.To.UTC().Format(time.RFC3339Nano))
	}
	if !q.EndedFrom.IsZero() {
		set("ended_from", q.EndedFrom.UTC().Format(time.RFC3339Nano))
	}
	if !q.EndedTo.IsZero() {
		set("ended_to", q.EndedTo.UTC().Format(time.RFC3339Nano))
	}
	var where []string
	for _, condition := range q.Where {
		where = append(where, condition.String())
	}
	set("where", strings.Join(where, " and "))
	return v
}

// CountByStatus counts the instances of each status, up to most of each. What the
// API does not count (a status alone, times, conditions) is counted page by page.
func (c *Client) CountByStatus(ctx context.Context, q client.ListQuery, most int) (counts map[client.Status]int, more map[client.Status]bool, err error) {
	counts, more = map[client.Status]int{}, map[client.Status]bool{}
	if q.Status == "" && q.From.IsZero() && q.To.IsZero() && q.Prefix == "" && len(q.Where) == 0 && q.Words+q.Version+q.Parent+q.Schedule+q.Queue == "" && q.EndedFrom.IsZero() && q.EndedTo.IsZero() {
		var got api.Counts
		v := url.Values{}
		if q.Name != "" {
			v.Set("name", q.Name)
		}
		if _, err := c.get(ctx, "counts", v, &got); err != nil {
			return nil, nil, err
		}
		for status, n := range got.Counts {
			counts[client.Status(status)], more[client.Status(status)] = n.Count, n.More
		}
		return counts, more, nil
	}
	q.PageSize, q.PageToken = maxPage, ""
	if q.Status != "" {
		counts[q.Status] = 0
	}
	for n := 0; ; {
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		for i := range page.Instances {
			if n++; n > most {
				more[page.Instances[i].Status] = true
				return counts, more, nil
			}
			counts[page.Instances[i].Status]++
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return counts, more, nil
		}
	}
}

// About says what the console is, and shows.
func (c *Client) About(ctx context.Context) (api.About, error) {
	var got api.About
	_, err := c.get(ctx, "about", nil, &got)
	return got, err
}

// Queues says how full the queues are.
func (c *Client) Queues(ctx context.Context) ([]api.Queue, error) {
	var got api.Queues
	_, err := c.get(ctx, "queues", nil, &got)
	return got.Queues, err
}

// Limits returns the limits over instances for which most wait first.
func (c *Client) Limits(ctx context.Context) ([]client.Limit, error) {
	var got api.LimitList
	_, err := c.get(ctx, "limits", url.Values{"of": {"activities"}}, &got)
	return got.Limits, err
}

// InstanceLimits returns the limits of instances.
func (c *Client) InstanceLimits(ctx context.Context) ([]client.Limit, error) {
	var got api.LimitList
	_, err := c.get(ctx, "limits", url.Values{"of": {"instances"}}, &got)
	return got.Limits, err
}

// InstanceLimit returns how the limit of instances with a key stands.
func (c *Client) InstanceLimit(ctx context.Context, key string) (client.Limit, error) {
	var got api.LimitList
	if _, err := c.get(ctx, "limits", url.Values{"key": {key}, "of": {"instances"}}, &got); err != nil || len(got.Limits) == 0 {
		return client.Limit{Key: key, Instances: true}, err
	}
	return got.Limits[0], nil
}

// Rate returns how the rate of a key stands.
func (c *Client) Rate(ctx context.Context, key string) (client.Limit, error) {
	var got api.LimitList
	if _, err := c.get(ctx, "limits", url.Values{"key": {key}, "of": {"rates"}}, &got); err != nil || len(got.Limits) == 0 {
		return client.Limit{Key: key, Rate: true}, err
	}
	return got.Limits[0], nil
}

// Limit returns how the limit of a key stands.
func (c *Client) Limit(ctx context.Context, key string) (client.Limit, error) {
	var got api.LimitList
	if _, err := c.get(ctx, "limits", url.Values{"key": {key}, "of": {"activities"}}, &got); err != nil || len(got.Limits) == 0 {
		return client.Limit{Key: key}, err
	}
	return got.Limits[0], nil
}
