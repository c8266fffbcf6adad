package client

import (
	"context"
	"time"

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
	// is. No index finds by Words, Version or Parent: of the instances that the other
	// fields select, a call reads the records of up to 1,000 on DynamoDB, and of up to
	// 10,000 on SQLite.
	Version, Parent string
	// PageSize, 1 to 1000; 0 means 100.
	PageSize int
	// PageToken of the page before; empty for the first.
	PageToken string
}

// ListPage is one page of instances, newest first. NextPageToken is empty on
// the last. With ListQuery.Where, Prefix, Words, Version or Parent, or with both Status and
// Name, a page may be shorter than asked for, or empty, and not be the last.
type ListPage struct {
	Instances     []Description
	NextPageToken string
}

// List returns a page of instances. Purged ones are not listed.
//
// Errors: [store.ErrBadPageToken] for the page token of another query,
// [store.ErrBadSearch] and [*history.SearchAttributeError] for a condition that
// cannot be one.
func (c *Client) List(ctx context.Context, q ListQuery) (ListPage, error) {
	page, err := c.cfg.Store.List(ctx, q.stored())
	if err != nil {
		return ListPage{}, err
	}
	out := ListPage{Instances: make([]Description, len(page.Records)), NextPageToken: page.NextPageToken}
	for i := range page.Records {
		out.Instances[i] = *c.describe(&page.Records[i])
	}
	return out, nil
}

// stored is the query as the store takes it.
func (q *ListQuery) stored() store.ListQuery {
	return store.ListQuery{
		Status: store.Status(q.Status), Name: q.Name, Prefix: q.Prefix, From: q.From, To: q.To,
		Where: storeConditions(q.Where), Words: q.Words, Version: q.Version, Parent: q.Parent, PageSize: q.PageSize, PageToken: q.PageToken,
	}
}
