package mcpserver

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Filter selects instances, like the flags of `turnstile list`.
type Filter struct {
	Status     string `json:"status,omitempty" jsonschema:"running, stuck, suspended, scheduled, queued, forking, corrupt, completed, failed, cancelled or terminated"`
	Name       string `json:"name,omitempty" jsonschema:"name of the orchestration"`
	Prefix     string `json:"prefix,omitempty" jsonschema:"prefix of the id"`
	Words      string `json:"words,omitempty" jsonschema:"words in the failure, problem or state status"`
	Version    string `json:"version,omitempty" jsonschema:"version of the orchestration"`
	Parent     string `json:"parent,omitempty" jsonschema:"id of the parent instance"`
	Schedule   string `json:"schedule,omitempty" jsonschema:"name of the schedule that started the instance"`
	Queue      string `json:"queue,omitempty" jsonschema:"activity queue in which an attempt of the instance waits or runs; not on AWS"`
	Since      string `json:"since,omitempty" jsonschema:"started at this time or later: 24h or 7d (ago), yesterday, 2026-01-31, 2026-01-31T12:00:00Z"`
	Until      string `json:"until,omitempty" jsonschema:"started before this time, written as since"`
	EndedSince string `json:"ended_since,omitempty" jsonschema:"ended at this time or later, written as since"`
	EndedUntil string `json:"ended_until,omitempty" jsonschema:"ended before this time, written as since"`
	Where      string `json:"where,omitempty" jsonschema:"conditions on search attributes joined by and, such as: customer = \"c-1\" and total > 100; operators = < <= > >= and ^= (starts with)"`
}

type listInput struct {
	Filter
	Limit     int    `json:"limit,omitempty" jsonschema:"instances to return, 1 to 200; default 20"`
	PageToken string `json:"page_token,omitempty" jsonschema:"next_page_token of the previous answer, with the same filter"`
}

func (s *server) addLooks() {
	add(s, "list_instances", "List instances, newest first, by status, orchestration, start time and search attributes. A stuck instance is listed as stuck, not as running.",
		look("List instances"), s.list)
	add(s, "list_failures", "Group failed, stuck and corrupt instances by their first failure, largest group first, with the number of failures over time. Reads at most 1,000 records of each of these statuses.",
		look("List failures by cause"), s.failures)
	add(s, "describe_instance", "Show the state of an instance: status, times, search attributes, output or failure, problem, suspension, pending operations (down to children with problems), and unconsumed events.",
		look("Describe an instance"), s.describe)
	add(s, "show_history", "Show the events of one execution in order, in pages. Payloads larger than 4 KB are omitted (folded); request the single event to see its payload.",
		look("Show a history"), s.history)
	add(s, "show_timeline", "Show what an instance did and when: a row for each activity, timer, event and child with its times, attempts and failure. If there are many rows, request state failed or open first.",
		look("Show a timeline"), s.timeline)
	add(s, "show_attempts", "Show the stored attempts of one activity: error, time and worker of each. Use it for an activity that was retried or is pending.",
		look("Show the attempts of an activity"), s.attempts)
	add(s, "read_state", "Read the states that an instance shows about itself, such as its progress, each with the event at which it was set. Runs no code, and reads one record.",
		look("Read the states of an instance"), s.states)
	add(s, "ask_query", "Ask the code of an instance, which answers from its variables after a replay of the history. Nothing is recorded or sent. An unknown name is an error that lists the queries of the code.",
		look("Ask a query"), s.query)
	add(s, "list_limits", "List limits and rates: which attempts or instances hold a permit, which wait and since when, and what an operator has set. Use it if attempts do not start or instances are queued.",
		look("List limits"), s.limits)
	add(s, "compare_executions", "Compare two instances, or two executions of one, operation by operation: inputs, results, failures, attempts, and operations that only one side has. Compare a failed instance with a successful one.",
		look("Compare two executions"), s.compare)
}

// listPages is the largest number of pages that a call of list_instances reads. With conditions,
// a page before the last may be empty.
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
		next, full, err := pageThatFits(ctx, c, q)
		if err != nil {
			return nil, err
		}
		out.Instances = append(out.Instances, next.Instances...)
		q.PageToken, out.NextPageToken = next.NextPageToken, next.NextPageToken
		if q.PageToken == "" || full || len(out.Instances) >= limit {
			return out, nil
		}
	}
	out.Note = "the search is not complete: continue with next_page_token, or narrow it by name, status or time"
	return out, nil
}

// pageThatFits reads a page of instances; full reports that the answer has no room for another
// page. A page token names the end of a page, so a page that is too large for the answer is read
// again with as many instances as fit.
func pageThatFits(ctx context.Context, c *call, q client.ListQuery) (out api.InstanceList, full bool, err error) {
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return out, full, err
		}
		out.Instances, out.NextPageToken = make([]api.Instance, len(page.Instances)), page.NextPageToken
		for i := range page.Instances {
			out.Instances[i] = bare(api.InstanceOf(&page.Instances[i]))
		}
		if full {
			return out, full, nil
		}
		shown, err := fit(c, out.Instances, len(out.Instances))
		if err != nil || shown == len(out.Instances) {
			return out, full, err
		}
		q.PageSize, full = shown, true
	}
}

// bare returns an instance without stack traces and large payloads, and with long texts cut.
// describe_instance returns them whole.
func bare(one api.Instance) api.Instance {
	one.Fold(foldListed)
	one.Cause = clip(one.Cause)
	one.HandedOn = slices.Clone(one.HandedOn)
	for i := range one.HandedOn {
		one.HandedOn[i].Says = clip(one.HandedOn[i].Says)
	}
	if p := one.Problem; p != nil {
		short := *p
		short.Message, short.Stack = clip(p.Message), ""
		if d := p.Diff; d != nil {
			short.Diff = &store.ProblemDiff{Have: clip(d.Have), Did: clip(d.Did), At: d.At}
		}
		one.Problem = &short
	}
	if f := one.Failure; f != nil {
		short := *f
		short.Message, short.Stack = clip(f.Message), ""
		one.Failure = &short
	}
	if s := one.Suspension; s != nil {
		short := *s
		short.Reason = clip(s.Reason)
		one.Suspension = &short
	}
	return one
}
