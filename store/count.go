package store

import "context"

// StatusCounter is what a Store may be besides, if it can count without reading
// the records that it counts.
type StatusCounter interface {
	// CountByStatus returns how many instances a query selects of each status; a stuck or
	// corrupt instance counts under that status, and a status without any is left out. PageSize
	// and PageToken are ignored. Where counting takes time it stops at most of a status, or a
	// little above; more then has that status. Errors are the errors of List, and
	// errors.ErrUnsupported if the records must be read to answer, or if the store passes the
	// query to a store that cannot count.
	CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error)
}
