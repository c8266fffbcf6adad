package store

import "context"

// StatusCounter is what a Store may be besides, if it can count without reading
// what it counts.
type StatusCounter interface {
	// CountByStatus returns how many instances a query selects of each status, one
	// that is stuck or corrupt under that; a status without any is left out.
	// PageSize and PageToken are of no account. Errors are those of List;
	// errors.ErrUnsupported from a store that only passes the question on, to one
	// that is none.
	CountByStatus(ctx context.Context, q ListQuery) (map[Status]int, error)
}
