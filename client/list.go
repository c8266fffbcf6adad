package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/scheduling"
	"github.com/turnstile-go/turnstile/store"
)

// ListQuery selects instances: by status, name, beginning of the id, time of start
// and search attributes, in pages. The zero value selects all.
type ListQuery struct {
	// Status, empty for all.
	Status Status
	// Name of the orchestration, empty for all.
	Name string
	// Prefix is what the instance's id begins with, upper and lower case apart; empty
	// for all. SQLite finds up to a thousand such ids by an index. DynamoDB has none
	// for it: of the index that the other fields choose, a call looks at the keys of up
	// to 10,000 instances, which is a read unit for some 70 of them, and reads the
	// records of those that match.
	Prefix string
	// From (inclusive) and To (exclusive) bound the time of the start; zero for no
	// bound.
	From, To time.Time
	// EndedFrom (inclusive) and EndedTo (exclusive) bound the time of the end, and select
	// only instances that have ended; zero for no bound. No index finds by them, as by
	// Version.
	EndedFrom, EndedTo time.Time
	// Where are conditions on the search attributes, all of which have to hold.
	// With the first ["="] among them only instances that meet it are
	// looked at; the other conditions, Status and Name are then looked up in their
	// records, one by one. Without any, Status, Name, From and To alone say whose
	// records are looked at.
	Where []SearchCondition
	// Words are those that the failure, the problem, the reason of the suspension or
	// the custom status has, upper and lower case alike: all of them, in any order.
	// A custom status that a codec has sealed is not searched.
	Words string
	// Version of the orchestration, and Parent: the id of the instance whose child it
	// is. No index finds by Version or Parent, and on DynamoDB none by Words: of the
	// instances that the other fields select, a call reads the records of up to 1,000 on
	// DynamoDB, and of up to 30,000 on SQLite. There an index finds by words of three
	// characters or more; searches bring it up to date.
	Version, Parent string
	// Schedule is the name of the schedule that has started the instance, by a tick, a trigger or
	// a backfill. Their ids begin with its name and "@", and are found as by Prefix.
	Schedule string
	// Queue is the activity queue, "default" or the name of one, in which an attempt of the
	// instance waits, runs, or is due later. Only a runtime of package embedded knows that
	// ([Config.Queued]): SQS does not list messages. It reads the record of each such instance.
	Queue string
	// PageSize, 1 to 1000; 0 means 100.
	PageSize int
	// PageToken of the page before; empty for the first.
	PageToken string
}

// ListPage is one page of instances, newest first. NextPageToken is empty on
// the last. With ListQuery.Where, Prefix, Words, Version, Parent, EndedFrom or EndedTo, or with
// both Status and Name, a page may be shorter than asked for, or empty, and not be the last.
type ListPage struct {
	Instances     []Description
	NextPageToken string
}

// List returns a page of instances. Purged ones are not listed.
//
// Errors: [store.ErrBadPageToken] for the page token of another query,
// [store.ErrBadSearch] and [*history.SearchAttributeError] for a condition that
// cannot be one; [*turnstile.InvalidArgumentError] for a Queue where nobody knows what is in it.
func (c *Client) List(ctx context.Context, q ListQuery) (ListPage, error) {
	stored, possible := q.stored()
	if !possible {
		return ListPage{Instances: []Description{}}, nil
	}
	list := c.cfg.Store.List
	if q.Queue != "" {
		list = func(ctx context.Context, stored store.ListQuery) (store.ListPage, error) {
			return c.listQueued(ctx, q.Queue, &stored)
		}
	}
	page, err := list(ctx, stored)
	if err != nil {
		return ListPage{}, err
	}
	out := ListPage{Instances: make([]Description, len(page.Records)), NextPageToken: page.NextPageToken}
	for i := range page.Records {
		out.Instances[i] = *c.describe(&page.Records[i])
	}
	return out, nil
}

// stored is the query as the store takes it, the queue apart; false if no id can begin with its
// prefix and be of its schedule.
func (q *ListQuery) stored() (stored store.ListQuery, possible bool) {
	prefix := q.Prefix
	if q.Schedule != "" {
		of := scheduling.StartedPrefix(q.Schedule)
		switch {
		case strings.HasPrefix(of, prefix):
			prefix = of
		case !strings.HasPrefix(prefix, of):
			return stored, false
		}
	}
	return store.ListQuery{
		Status: store.Status(q.Status), Name: q.Name, Prefix: prefix, From: q.From, To: q.To, EndedFrom: q.EndedFrom, EndedTo: q.EndedTo,
		Where: storeConditions(q.Where), Words: q.Words, Version: q.Version, Parent: q.Parent, PageSize: q.PageSize, PageToken: q.PageToken,
	}, true
}

// listQueued is a page of those that a query selects of the instances in a queue.
func (c *Client) listQueued(ctx context.Context, queue string, q *store.ListQuery) (store.ListPage, error) {
	unknown := func(problem string) error {
		return &turnstile.InvalidArgumentError{Call: "List", Argument: "Queue", Problem: problem}
	}
	if c.cfg.Queued == nil {
		return store.ListPage{}, unknown("cannot be searched here: SQS does not list its messages; search by name, status or a search attribute")
	}
	low, high, err := q.KeyRange()
	if err != nil {
		return store.ListPage{}, err
	}
	ids, known := c.cfg.Queued(queue)
	if !known {
		return store.ListPage{}, unknown(fmt.Sprintf("is %q, and there is no such activity queue", queue))
	}
	var found []store.Record
	for _, id := range ids {
		r, err := c.cfg.Store.Describe(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return store.ListPage{}, err
		}
		if key := r.ListKey(); key >= low && key < high && q.Matches(&r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b store.Record) int { return strings.Compare(b.ListKey(), a.ListKey()) })
	page := store.ListPage{Records: found}
	if most := q.Limit(); len(found) > most {
		page.Records = found[:most]
		page.NextPageToken = q.TokenAfter(found[most-1].ListKey())
	}
	return page, nil
}
