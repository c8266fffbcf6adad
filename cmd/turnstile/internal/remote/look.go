package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// Describe returns the state of an instance.
func (c *Client) Describe(ctx context.Context, instance string) (client.Description, error) {
	var got api.Instance
	if _, err := c.get(ctx, "instances/"+segment(instance), nil, &got); err != nil {
		return client.Description{}, err
	}
	return DescriptionOf(&got), nil
}

// DescriptionOf converts an instance of the API to a client's description.
func DescriptionOf(i *api.Instance) client.Description {
	d := i.Description
	d.FirstExecution = max(d.FirstExecution, 1)
	for name, s := range i.States {
		if d.States == nil {
			d.States = make(map[string]client.StateValue[json.RawMessage], len(i.States))
		}
		d.States[name] = client.StateValue[json.RawMessage]{Value: s.Value, Number: client.StateNumber{ExecutionID: s.ExecutionID, EventID: s.EventID}, At: s.At, Ended: d.Status.Terminal()}
	}
	if i.Failure != nil {
		d.Failure = i.Failure.History()
	}
	if i.DecodeError != "" {
		d.DecodeError = errors.New(i.DecodeError)
	}
	return d
}

// Wait waits for the end of an instance.
func (c *Client) Wait(ctx context.Context, instance string) (client.Description, error) {
	return c.WaitUntil(ctx, instance, func(d *client.Description) bool { return d.Status.Terminal() })
}

// Confirm waits until an instance exists, and returns an error if another start created it.
func (c *Client) Confirm(ctx context.Context, _ string, started client.Started) error {
	d, err := c.WaitUntil(ctx, started.Instance, func(d *client.Description) bool { return d.ExecutionID > started.PreviousExecution })
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
		gone, _ := errors.AsType[*client.NotFoundError](err)
		switch {
		case gone != nil && !gone.FreeAt.IsZero():
			return client.Description{}, &client.PurgedError{Instance: instance, FreeAt: gone.FreeAt}
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

// kinds maps the API's kinds of operations to event kinds.
var kinds = map[timeline.Kind]history.Kind{
	"activity": history.ActivityScheduled, "inline": history.ActivityScheduled, "timer": history.TimerCreated,
	"wait": history.ExternalSubscribed, "update": history.ExternalSubscribed, "child": history.SubOrchestrationScheduled,
}

// Pending returns the pending operations and the unconsumed events of an instance.
func (c *Client) Pending(ctx context.Context, instance string) (client.Pending, error) {
	var got api.PendingOperations
	if _, err := c.get(ctx, "instances/"+segment(instance)+"/waiting-for", nil, &got); err != nil {
		return client.Pending{}, err
	}
	out := client.Pending{UnconsumedEvents: got.UnconsumedEvents, Updates: got.Updates}
	for i := range got.Operations {
		o := &got.Operations[i]
		open := client.PendingOperation{Kind: kinds[o.Kind], EventID: o.EventID, Name: o.Name, Label: o.Label, Queue: o.Queue, ScheduledAt: o.ScheduledAt, Instance: o.Instance}
		if open.Kind == history.TimerCreated {
			open.DueAt = o.DueAt
		}
		if ch := o.Child; ch != nil {
			open.Child = &client.Description{Instance: ch.Instance, Name: ch.Name, Version: ch.Version, Status: ch.Status, Problem: ch.Problem}
		}
		out.Operations = append(out.Operations, open)
	}
	return out, nil
}

// Export returns the history of an execution; 0 is the current one.
func (c *Client) Export(ctx context.Context, instance string, execution int64) (history.Export, error) {
	text, err := c.get(ctx, "instances/"+segment(instance)+"/export", values("execution", numbered(execution)), nil)
	if err != nil {
		return history.Export{}, err
	}
	return history.DecodeExport(text)
}

// Timeline returns the timeline of the newest executions of an instance; with at, the state after that
// event.
func (c *Client) Timeline(ctx context.Context, instance string, executions int, at string) (api.Timeline, error) {
	return read[api.Timeline](ctx, c, "instances/"+segment(instance)+"/timeline", values("executions", strconv.Itoa(executions), "at", at))
}

// Attempts returns the attempts of the activity that an event scheduled; execution 0 is the current
// one.
func (c *Client) Attempts(ctx context.Context, instance string, execution, event int64) (api.Attempts, error) {
	return read[api.Attempts](ctx, c, "instances/"+segment(instance)+"/executions/"+cmp.Or(numbered(execution), "current")+"/events/"+strconv.FormatInt(event, 10)+"/attempts", nil)
}

// Query asks the code of an instance.
func (c *Client) Query(ctx context.Context, r client.QueryRequest) (client.QueryAnswer[json.RawMessage], error) {
	var got api.QueryAnswer
	err := c.post(ctx, "instances/"+segment(r.Instance)+"/query", api.Query{Name: r.Name, Input: r.Input}, &got)
	return client.QueryAnswer[json.RawMessage]{Value: got.Output, ExecutionID: got.ExecutionID, ReadTo: got.ReadTo, LastEventID: got.LastEventID, Problem: got.Problem}, err
}

// UpdateStatus returns how far an update has come.
func (c *Client) UpdateStatus(ctx context.Context, instance, id string) (client.UpdateStatus, error) {
	return c.updateStatus(ctx, instance, id, 0)
}

func (c *Client) updateStatus(ctx context.Context, instance, id string, wait int) (client.UpdateStatus, error) {
	return read[client.UpdateStatus](ctx, c, "instances/"+segment(instance)+"/updates/"+segment(id), values("wait_seconds", numbered(int64(wait))))
}

// WaitUpdate waits until an update is answered or, with client.UpdateAccepted, decided.
func (c *Client) WaitUpdate(ctx context.Context, instance, id string, stage client.UpdateStage) (client.UpdateStatus, error) {
	longest := acts.MaxUpdateWait
	if stage == client.UpdateAccepted {
		longest = 1 // A request of the API waits for the answer.
	}
	// The first request does not wait: it reads the stage for the error.
	for last, wait := client.UpdateSent, 0; ; wait = longest {
		s, err := c.updateStatus(ctx, instance, id, wait)
		switch {
		case ctx.Err() != nil:
			return client.UpdateStatus{}, &client.UpdateWaitError{Instance: instance, ID: id, Stage: last, Err: ctx.Err()}
		case errors.Is(err, store.ErrUnavailable):
			c.pause(ctx)
			continue
		case err != nil:
			return client.UpdateStatus{}, err
		case s.Stage.Answered(), s.Stage == client.UpdateAccepted && stage == client.UpdateAccepted:
			return s, nil
		}
		last = s.Stage
	}
}

// Difference compares two executions; 0 is the current one.
func (c *Client) Difference(ctx context.Context, a string, executionA int64, b string, executionB int64, all bool) (api.Difference, error) {
	return read[api.Difference](ctx, c, "difference", values("a", a, "b", b, "all", strconv.FormatBool(all),
		"a_execution", numbered(executionA), "b_execution", numbered(executionB)))
}

// Code returns where the code of an instance waits.
func (c *Client) Code(ctx context.Context, instance string) (api.CodeWaits, error) {
	return read[api.CodeWaits](ctx, c, "instances/"+segment(instance)+"/code", nil)
}

// maxPage is the API's largest page of instances.
const maxPage = 200

// List returns a page of instances, without long payloads.
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

// Failures returns the failures in the period of a query, grouped by cause. With a key it returns only
// this cause, with its instances.
func (c *Client) Failures(ctx context.Context, q client.ListQuery, key string) (api.FailureList, error) {
	v := inPeriod(&q)
	if key != "" {
		v.Set("cause", key)
	}
	return read[api.FailureList](ctx, c, "failures", v)
}

// Metrics counts the instances that started in the period of a query.
func (c *Client) Metrics(ctx context.Context, q client.ListQuery) (api.Metrics, error) {
	return read[api.Metrics](ctx, c, "metrics", inPeriod(&q))
}

// Steps returns the durations of the steps of a query's orchestration.
func (c *Client) Steps(ctx context.Context, q client.ListQuery) (api.StepList, error) {
	return read[api.StepList](ctx, c, "steps", inPeriod(&q))
}

func listed(q *client.ListQuery) url.Values {
	var where []string
	for _, condition := range q.Where {
		where = append(where, condition.String())
	}
	return values("page_size", strconv.Itoa(min(max(q.PageSize, 1), maxPage)), "status", string(q.Status), "name", q.Name, "prefix", q.Prefix,
		"words", q.Words, "version", q.Version, "parent", q.Parent, "schedule", q.Schedule, "queue", q.Queue, "page_token", q.PageToken,
		"from", moment(q.From), "to", moment(q.To), "ended_from", moment(q.EndedFrom), "ended_to", moment(q.EndedTo), "where", strings.Join(where, " and "))
}

// inPeriod returns the parameters of a query that is not read in pages.
func inPeriod(q *client.ListQuery) url.Values {
	v := listed(q)
	v.Del("page_size")
	return v
}

// values returns parameters, pairs of a name and a value, without those that are empty.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// numbered returns the number of an execution; "" for 0, the current one.
func numbered(execution int64) string {
	if execution == 0 {
		return ""
	}
	return strconv.FormatInt(execution, 10)
}

// CountByStatus counts the instances of each status, up to most of each. It lists the instances if the
// query has filters that the API does not count, such as a status, times or conditions.
func (c *Client) CountByStatus(ctx context.Context, q client.ListQuery, most int) (counts map[client.Status]int, more map[client.Status]bool, err error) {
	counts, more = map[client.Status]int{}, map[client.Status]bool{}
	if q.Status == "" && q.From.IsZero() && q.To.IsZero() && q.Prefix == "" && len(q.Where) == 0 && q.Words+q.Version+q.Parent+q.Schedule+q.Queue == "" && q.EndedFrom.IsZero() && q.EndedTo.IsZero() {
		got, err := read[api.Counts](ctx, c, "counts", values("name", q.Name))
		if err != nil {
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

// About returns the description of the console.
func (c *Client) About(ctx context.Context) (api.About, error) {
	return read[api.About](ctx, c, "about", nil)
}

// Queues returns the depths of the queues.
func (c *Client) Queues(ctx context.Context) ([]api.Queue, error) {
	got, err := read[api.Queues](ctx, c, "queues", nil)
	return got.Queues, err
}

// PausedQueues returns the paused queues.
func (c *Client) PausedQueues(ctx context.Context) ([]api.PausedQueue, error) {
	got, err := read[api.Counts](ctx, c, "counts", nil)
	return got.PausedQueues, err
}

// LimitList returns the limits and rates with a key, or all of them.
func (c *Client) LimitList(ctx context.Context, key string) (api.LimitList, error) {
	return read[api.LimitList](ctx, c, "limits", values("key", key))
}

// ScheduleList returns a page of schedules.
func (c *Client) ScheduleList(ctx context.Context, token string) (api.ScheduleList, error) {
	return read[api.ScheduleList](ctx, c, "schedules", values("page_token", token))
}

// Schedule returns the state of a schedule.
func (c *Client) Schedule(ctx context.Context, name string) (api.Schedule, error) {
	return read[api.Schedule](ctx, c, "schedules/"+segment(name), nil)
}
