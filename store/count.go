package store

import "context"

// StatusCounter is an optional interface of a Store that can count records without reading them.
type StatusCounter interface {
	// CountByStatus returns how many instances of each status a query selects. A stuck or corrupt
	// instance counts as that status, and a status with no instances is left out. PageSize and
	// PageToken are ignored. If counting takes time, it stops at `most` instances of a status, or
	// slightly above, and sets more for that status. It returns the errors of List. It returns
	// errors.ErrUnsupported if it would have to read the records, or if the store passes the query
	// to a store that cannot count.
	CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error)
}
