package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/store"
)

// ListQuery selects instances by status, name, prefix of the id, start time and search attributes. The
// zero value selects all.
type ListQuery struct {
	// Status, empty for all.
	Status Status
	// Name of the orchestration, empty for all.
	Name string
	// Prefix of the instance id, case-sensitive; empty for all. SQLite finds up to 1,000 such ids with
	// an index. DynamoDB has no index for it: a call reads the keys of up to 10,000 instances from the
	// index that the other fields select (about 70 keys per read unit), and then the records of those
	// that match.
	Prefix string
	// From (inclusive) and To (exclusive) bound the start time; zero for no bound.
	From, To time.Time
	// EndedFrom (inclusive) and EndedTo (exclusive) bound the end time, and select only instances that
	// have ended; zero for no bound. No index covers them; they cost as much as Version.
	EndedFrom, EndedTo time.Time
	// Where are conditions on the search attributes, all of which must hold. If one of them is an
	// ["="] condition, the first such condition selects the instances through the index, and the
	// other conditions, Status and Name are checked in the records of these instances one by one.
	// If there is no "=" condition, Status, Name, From and To select the records that are read.
	Where []SearchCondition
	// Words must all occur, in any order and ignoring case, in the failure, the problem, the reason of
	// the suspension or the state "status". A state that a codec has encoded is not searched.
	Words string
	// Version of the orchestration; Parent is the id of the instance's parent. No index covers
	// Version and Parent, and on DynamoDB none covers Words. A call then reads records of the
	// instances that the other fields select: up to 1,000 on DynamoDB, and up to 30,000 on SQLite.
	// SQLite has an index for words of three characters or more, which searches bring up to date.
	Version, Parent string
	// Schedule is the name of the schedule that started the instance, by a scheduled run, a trigger
	// or a backfill. The ids of these instances start with the schedule's name and "@", so the
	// search costs as much as one by Prefix.
	Schedule string
	// Queue is the name of an activity queue, or "default". It selects instances that have an attempt
	// in that queue: waiting, running or due later. Only a runtime of package embedded supports it
	// ([Config.Queued]), because SQS cannot list messages. A call reads the record of each such
	// instance.
	Queue string
	// PageSize is 1 to 1000; 0 means 100.
	PageSize int
	// PageToken is the NextPageToken of the previous page; empty for the first page.
	PageToken string
}

// ListPage is one page of instances, newest first. NextPageToken is empty on the last page. With Where,
// Prefix, Words, Version, Parent, EndedFrom or EndedTo, or with both Status and Name, a page may be
// shorter than PageSize, or empty, without being the last.
type ListPage struct {
	Instances     []Description
	NextPageToken string
}

// List returns a page of instances. Purged instances are not listed.
//
// Errors: [store.ErrBadPageToken] for the page token of another query, [store.ErrBadSearch] and
// [*history.SearchAttributeError] for an invalid condition, [*turnstile.InvalidArgumentError] for a
// Queue that does not exist or cannot be listed.
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

// stored returns the query for the store, without the queue; false if no id can match both the prefix
// and the schedule.
func (q *ListQuery) stored() (stored store.ListQuery, possible bool) {
	prefix := q.Prefix
	if q.Schedule != "" {
		of := coordination.StartedPrefix(q.Schedule)
		switch {
		case strings.HasPrefix(of, prefix):
			prefix = of
		case !strings.HasPrefix(prefix, of):
			return stored, false
		}
	}
	return store.ListQuery{
		Status: q.Status, Name: q.Name, Prefix: prefix, From: q.From, To: q.To, EndedFrom: q.EndedFrom, EndedTo: q.EndedTo,
		Where: q.Where, Words: q.Words, Version: q.Version, Parent: q.Parent, PageSize: q.PageSize, PageToken: q.PageToken,
	}, true
}

// listQueued returns a page of the instances in a queue that match the query.
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
		return store.ListPage{}, unknown(fmt.Sprintf("is %q, but there is no such activity queue", queue))
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
