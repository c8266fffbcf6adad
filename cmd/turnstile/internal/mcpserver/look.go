package mcpserver

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Filter says which instances are listed, as the flags of `turnstile list` do.
type Filter struct {
	Status     string `json:"status,omitempty" jsonschema:"running, stuck, suspended, scheduled, queued, corrupt, completed, failed, cancelled or terminated"`
	Name       string `json:"name,omitempty" jsonschema:"name of the orchestration"`
	Prefix     string `json:"prefix,omitempty" jsonschema:"what the id begins with"`
	Words      string `json:"words,omitempty" jsonschema:"words that the failure, problem or custom status has"`
	Version    string `json:"version,omitempty" jsonschema:"version of the orchestration"`
	Parent     string `json:"parent,omitempty" jsonschema:"id of the instance whose children are meant"`
	Schedule   string `json:"schedule,omitempty" jsonschema:"name of the schedule that has started it"`
	Queue      string `json:"queue,omitempty" jsonschema:"activity queue in which an attempt of it waits or runs; not on AWS"`
	Since      string `json:"since,omitempty" jsonschema:"started at this time or later: 24h or 7d (ago), yesterday, 2026-01-31, 2026-01-31T12:00:00Z"`
	Until      string `json:"until,omitempty" jsonschema:"started before this time, written as since"`
	EndedSince string `json:"ended_since,omitempty" jsonschema:"ended at this time or later, written as since"`
	EndedUntil string `json:"ended_until,omitempty" jsonschema:"ended before this time, written as since"`
	Where      string `json:"where,omitempty" jsonschema:"conditions on search attributes joined by and, such as: customer = \"c-1\" and total > 100; operators = < <= > >= and ^= (begins with)"`
}

type listInput struct {
	Filter
	Limit     int    `json:"limit,omitempty" jsonschema:"instances to return, 1 to 200; default 20"`
	PageToken string `json:"page_token,omitempty" jsonschema:"next_page_token of the answer before, with the same filter"`
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
