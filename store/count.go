package store

import "context"

// StatusCounter is an optional interface of a Store that can count records without reading them.
type StatusCounter interface {
	// CountByStatus returns how many instances of each status a query selects; a stuck or corrupt
	// instance counts under that status, and a status with no instances is left out. PageSize and
	// PageToken are ignored. If counting takes time, it stops at `most` instances of a status, or
	// slightly above; more then contains that status. Errors are those of List, and
	// errors.ErrUnsupported if the records have to be read, or if the store passes the query to a store
	// that cannot count.
	CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error)
}
