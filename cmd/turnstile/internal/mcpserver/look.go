package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Filter says which instances are listed, as the flags of `turnstile list` do.
type Filter struct {
	Status   string `json:"status,omitempty" jsonschema:"running, stuck, suspended, scheduled, queued, corrupt, completed, failed, cancelled or terminated"`
	Name     string `json:"name,omitempty" jsonschema:"name of the orchestration"`
	Prefix   string `json:"prefix,omitempty" jsonschema:"what the id begins with"`
	Words    string `json:"words,omitempty" jsonschema:"words that the failure, problem or custom status has"`
	Version  string `json:"version,omitempty" jsonschema:"version of the orchestration"`
	Parent   string `json:"parent,omitempty" jsonschema:"id of the instance whose children are meant"`
	Schedule string `json:"schedule,omitempty" jsonschema:"name of the schedule that has started it"`
	Queue    string `json:"queue,omitempty" jsonschema:"activity queue in which an attempt of it waits or runs; not on AWS"`
	Since    string `json:"since,omitempty" jsonschema:"started at this time or later: 24h or 7d (ago), yesterday, 2026-01-31, 2026-01-31T12:00:00Z"`
	Until    string `json:"until,omitempty" jsonschema:"started before this time, written as since"`
	Where    string `json:"where,omitempty" jsonschema:"conditions on search attributes joined by and, such as: customer = \"c-1\" and total > 100; operators = < <= > >= and ^= (begins with)"`
}

type listInput struct {
	Filter
	Limit     int    `json:"limit,omitempty" jsonschema:"instances to return, 1 to 200; default 20"`
	PageToken string `json:"page_token,omitempty" jsonschema:"next_page_token of the answer before, with the same filter"`
}

type describeInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	Code     bool   `json:"code,omitempty" jsonschema:"say at which lines the code waits; only where the server has the code, as beside turnstile dev"`
	Whole    bool   `json:"whole,omitempty" jsonschema:"include output, custom status and details of more than 2 KB"`
}

type historyInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
	From      int64  `json:"from,omitempty" jsonschema:"first event id to return; default 1"`
	Limit     int    `json:"limit,omitempty" jsonschema:"events to return, 1 to 1000; default 100"`
	Event     int64  `json:"event,omitempty" jsonschema:"return this event alone, with its whole payload"`
}

type timelineInput struct {
	Instance   string `json:"instance" jsonschema:"id of the instance"`
	Executions int    `json:"executions,omitempty" jsonschema:"newest executions to include, 1 to 100; default 1"`
	At         string `json:"at,omitempty" jsonschema:"show it as it stood after this event of the current execution, or EXECUTION.EVENT: 17, 3.17"`
	State      string `json:"state,omitempty" jsonschema:"only rows in this state: open, done, failed, cancelled or closed"`
	Calls      bool   `json:"calls,omitempty" jsonschema:"include system calls: times, ids, side effects, patches"`
	Skip       int    `json:"skip,omitempty" jsonschema:"rows to skip, to go on after an answer that left rows out"`
	Limit      int    `json:"limit,omitempty" jsonschema:"rows to return, 1 to 1000; default 100"`
	Cost       bool   `json:"cost,omitempty" jsonschema:"include the estimated bill"`
}

type attemptsInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Event     int64  `json:"event" jsonschema:"event that scheduled the activity, as show_timeline has it"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
}

type compareInput struct {
	A          string `json:"a" jsonschema:"id of one instance"`
	B          string `json:"b,omitempty" jsonschema:"id of the other; default the same instance"`
	AExecution int64  `json:"a_execution,omitempty" jsonschema:"execution of the one; default the current one"`
	BExecution int64  `json:"b_execution,omitempty" jsonschema:"execution of the other; default the current one"`
	All        bool   `json:"all,omitempty" jsonschema:"give equal operations a row each, too"`
	Skip       int    `json:"skip,omitempty" jsonschema:"rows to skip, to go on after an answer that left rows out"`
	Limit      int    `json:"limit,omitempty" jsonschema:"rows to return, 1 to 1000; default 100"`
}

func (s *server) addLooks() {
	add(s, "list_instances", "List instances, newest first, by status, orchestration, time of start and search attributes. A stuck instance is listed as stuck, not as running.",
		look("List instances"), s.list)
	add(s, "list_failures", "Group failed, stuck and corrupt instances by what failed first, the most instances first, with how many failed when. Reads at most 1,000 records of each of these statuses.",
		look("List failures by cause"), s.failures)
	add(s, "describe_instance", "Show how an instance stands: status, times, search attributes, output or failure, problem, suspension, what it waits for (down to children that are not well), and events that no wait took.",
		look("Describe an instance"), s.describe)
	add(s, "show_history", "Show the events of one execution in order, in pages. Payloads of more than 4 KB are left out (folded); ask for the event alone to see one.",
		look("Show a history"), s.history)
	add(s, "show_timeline", "Show what an instance did and when: a row for each activity, timer, event and child with its times, attempts and failure. Ask for state failed or open first where there are many rows.",
		look("Show a timeline"), s.timeline)
	add(s, "show_attempts", "Show the attempts of one activity, as far as they are kept: error, time and worker of each. Ask for one that was tried more than once or is open.",
		look("Show the attempts of an activity"), s.attempts)
	add(s, "list_limits", "List limits and rates over instances: which attempts or instances hold a permit, which wait since when, and what an operator has set. Ask for it where attempts do not begin, or instances are queued.",
		look("List limits"), s.limits)
	add(s, "compare_executions", "Compare two instances, or two executions of one, operation by operation: inputs, results, failures, attempts, and what one side alone did. Compare one that failed with one that went well.",
		look("Compare two executions"), s.compare)
}

// listPages is how many pages one call of list_instances reads at most: with
// conditions a page may be empty and not be the last.
const listPages = 20

type instanceList struct {
	api.InstanceList
	Note string `json:"note,omitempty"`
}

func (s *server) list(ctx context.Context, c *call, in listInput) (any, error) {
	limit, err := within("limit", in.Limit, 200, 20)
	if err != nil {
		return nil, err
	}
	q, err := s.Query(in.Filter)
	if err != nil {
		return nil, err
	}
	q.PageToken = in.PageToken
	out := instanceList{InstanceList: api.InstanceList{Instances: []api.Instance{}}}
	for range listPages {
		q.PageSize = limit - len(out.Instances)
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Instances {
			out.Instances = append(out.Instances, listed(&page.Instances[i]))
		}
		q.PageToken, out.NextPageToken = page.NextPageToken, page.NextPageToken
		if q.PageToken == "" || len(out.Instances) >= limit {
			return out, nil
		}
	}
	out.Note = "the search is not over: go on with next_page_token, or narrow it by name, status or time"
	return out, nil
}

// listed is an instance as a list has it.
func listed(d *client.Description) api.Instance { return bare(api.InstanceOf(d)) }

// bare is an instance without stacks and large payloads.
func bare(one api.Instance) api.Instance {
	one.Fold(foldListed)
	if p := one.Problem; p != nil && p.Stack != "" {
		short := *p
		short.Stack = ""
		one.Problem = &short
	}
	if f := one.Failure; f != nil && f.Stack != "" {
		short := *f
		short.Stack = ""
		one.Failure = &short
	}
	return one
}

type described struct {
	api.Instance
	// Advice says what to do about the problem.
	Advice string `json:"advice,omitempty"`
	// WaitingForMore operations are open that are not shown.
	WaitingForMore int `json:"waiting_for_more,omitempty"`
	// UntakenEarlier events are not shown.
	UntakenEarlier int    `json:"untaken_earlier,omitempty"`
	HistoryUnread  string `json:"history_unread,omitempty"`
}

func (s *server) describe(ctx context.Context, c *call, in describeInput) (any, error) {
	d, err := c.Describe(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	out := described{Instance: api.InstanceOf(&d)}
	if !in.Whole {
		out.Fold(foldOver)
	}
	if d.Problem != nil {
		out.Advice = s.Advice(d.Problem.Kind)
	}
	if in.Code {
		code, err := c.Code(ctx, in.Instance)
		if err != nil {
			return nil, err
		}
		out.Code = &code
	}
	waiting, unread := c.Waiting(ctx, in.Instance)
	if unread != nil && d.Problem == nil {
		out.HistoryUnread = s.Explain(unread)
	}
	out.WaitingFor, out.WaitingForMore = operations(waiting.Open)
	out.UntakenEarlier = max(0, len(waiting.Untaken)-shownWaiting)
	out.Untaken = api.UntakenEventsOf(waiting.Untaken[out.UntakenEarlier:])
	return out, nil
}

// operations are what an instance waits for, and how many more there are.
func operations(open []client.PendingOperation) ([]api.PendingOperation, int) {
	more := max(0, len(open)-shownWaiting)
	shown := api.PendingOperationsOf(open[:len(open)-more])
	for i := range shown {
		if shown[i].Child != nil {
			shown[i].Child.Fold(foldOver)
		}
	}
	return shown, more
}

func (s *server) attempts(ctx context.Context, c *call, in attemptsInput) (any, error) {
	if in.Event < 1 || in.Execution < 0 {
		return nil, fmt.Errorf("event %d of execution %d: both are numbered from 1", in.Event, in.Execution)
	}
	return c.Attempts(ctx, in.Instance, in.Execution, in.Event)
}

type compared struct {
	api.Difference
	RowsLeftOut int `json:"rows_left_out,omitempty"`
	NextSkip    int `json:"next_skip,omitempty"`
}

func (s *server) compare(ctx context.Context, c *call, in compareInput) (any, error) {
	limit, err := within("limit", in.Limit, 1000, 100)
	switch {
	case err != nil:
		return nil, err
	case in.Skip < 0:
		return nil, fmt.Errorf("skip %d: a number of rows, from 0", in.Skip)
	case in.AExecution < 0 || in.BExecution < 0:
		return nil, fmt.Errorf("executions %d and %d: executions are numbered from 1", in.AExecution, in.BExecution)
	case in.B == "":
		in.B = in.A
	}
	if in.A == in.B && in.AExecution == in.BExecution {
		return nil, errors.New("that is an execution and itself: name another instance b, or two executions")
	}
	d, err := c.Difference(ctx, in.A, in.AExecution, in.B, in.BExecution, in.All)
	if err != nil {
		return nil, err
	}
	out := compared{Difference: d}
	rows := d.Rows[min(in.Skip, len(d.Rows)):]
	shown, err := fit(rows, limit)
	if err != nil {
		return nil, err
	}
	if out.Rows, out.RowsLeftOut = rows[:shown], len(rows)-shown; out.RowsLeftOut > 0 {
		out.NextSkip = in.Skip + shown
	}
	return out, nil
}

func (s *server) history(ctx context.Context, c *call, in historyInput) (any, error) {
	limit, err := within("limit", in.Limit, 1000, 100)
	switch {
	case err != nil:
		return nil, err
	case in.Execution < 0:
		return nil, fmt.Errorf("execution %d: executions are numbered from 1", in.Execution)
	case in.From < 0 || in.Event < 0:
		return nil, fmt.Errorf("from %d, event %d: events are numbered from 1", in.From, in.Event)
	}
	x, err := export(ctx, c, in.Instance, in.Execution)
	if err != nil {
		return nil, err
	}
	first, last := x.Events[0].EventID, x.Events[len(x.Events)-1].EventID
	from := max(in.From, first)
	if in.Event > 0 {
		from, limit = in.Event, 1
	}
	if from > last || from < first {
		return nil, fmt.Errorf("instance %q execution %d has no event %d: it has events %d to %d", x.Instance, x.ExecutionID, from, first, last)
	}
	out := api.Events{Instance: x.Instance, ExecutionID: x.ExecutionID, LastEventID: last, Events: eventsOf(x.Events, from, limit, in.Event > 0)}
	shown, err := fit(out.Events, limit)
	if err != nil {
		return nil, err
	}
	out.Events = out.Events[:shown]
	if next := out.Events[shown-1].EventID + 1; in.Event == 0 && next <= last {
		out.NextFrom = next
	}
	return out, nil
}

// export returns the history of an execution, 0 for the current one. One that is
// not there is an error.
func export(ctx context.Context, c *call, instance string, execution int64) (history.Export, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return history.Export{}, err
	}
	if execution == 0 {
		execution = d.ExecutionID
	}
	x, err := c.Export(ctx, instance, execution)
	if err == nil && len(x.Events) == 0 {
		err = errors.New(api.NoHistory(&d, execution))
	}
	return x, err
}

// eventsOf are limit events from an event on. Whole ones have payloads as large as
// they are, once.
func eventsOf(events []history.Event, from int64, limit int, whole bool) []api.Event {
	var out []api.Event
	for i := range events {
		if events[i].EventID < from || len(out) == limit {
			continue
		}
		e := api.EventOf(&events[i], whole)
		if e.Payload != nil && e.Payload.Value != nil {
			e.Payload.Raw = ""
		}
		out = append(out, e)
	}
	return out
}

type timelineOf struct {
	Instance       string                  `json:"instance"`
	Executions     []api.TimelineExecution `json:"executions"`
	Earlier        int                     `json:"earlier,omitempty"`
	Rows           []api.TimelineRow       `json:"rows"`
	RowsLeftOut    int                     `json:"rows_left_out,omitempty"`
	NextSkip       int                     `json:"next_skip,omitempty"`
	Marks          []api.TimelineMark      `json:"marks,omitempty"`
	MarksLeftOut   int                     `json:"marks_left_out,omitempty"`
	Bill           *api.Bill               `json:"bill,omitempty"`
	RowsByState    map[string]int          `json:"rows_by_state"`
	ExecutionsMore int                     `json:"executions_left_out,omitempty"`
}

func (s *server) timeline(ctx context.Context, c *call, in timelineInput) (any, error) {
	executions, err := within("executions", in.Executions, 100, 1)
	if err != nil {
		return nil, err
	}
	limit, err := within("limit", in.Limit, 1000, 100)
	if err != nil {
		return nil, err
	}
	switch in.State {
	case "", "open", "done", "failed", "cancelled", "closed":
	default:
		return nil, fmt.Errorf("state %q: open, done, failed, cancelled or closed", in.State)
	}
	if in.Skip < 0 {
		return nil, fmt.Errorf("skip %d: a number of rows, from 0", in.Skip)
	}
	t, err := c.Timeline(ctx, in.Instance, executions, in.At)
	if err != nil {
		return nil, err
	}
	out := timelineOf{Instance: t.Instance, Earlier: t.Earlier, RowsByState: map[string]int{}}
	rows := []api.TimelineRow{}
	for i := range t.Rows {
		r := t.Rows[i]
		if r.Kind == "call" && !in.Calls {
			continue
		}
		if out.RowsByState[r.State]++; in.State == "" || in.State == r.State {
			rows = append(rows, r)
		}
	}
	rows = rows[min(in.Skip, len(rows)):]
	shown, err := fit(rows, limit)
	if err != nil {
		return nil, err
	}
	if out.Rows, out.RowsLeftOut = rows[:shown], len(rows)-shown; out.RowsLeftOut > 0 {
		out.NextSkip = in.Skip + shown
	}
	if shown, err = fit(t.Executions, len(t.Executions)); err != nil {
		return nil, err
	}
	out.Executions, out.ExecutionsMore = t.Executions[:shown], len(t.Executions)-shown
	if shown, err = fit(t.Marks, shownWaiting); err != nil {
		return nil, err
	}
	out.Marks, out.MarksLeftOut = t.Marks[:shown], len(t.Marks)-shown
	if in.Cost {
		out.Bill = t.Bill
	}
	return out, nil
}
