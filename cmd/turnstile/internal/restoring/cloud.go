package restoring

import (
	"context"
	"time"
)

// Cloud gives access to the tables and queues of a stack. Calls that change something start the change
// and return.
type Cloud interface {
	// Tables returns the tables to restore: history, instances and activities, in this order.
	Tables() []Wanted
	// Table describes a table. It returns the zero Table if the table does not exist.
	Table(ctx context.Context, name string) (Table, error)
	// Window returns the earliest and the latest time to which a table can be restored.
	Window(ctx context.Context, name string) (from, to time.Time, err error)
	// RestoreTo creates the table target with the content of source at a time.
	RestoreTo(ctx context.Context, source, target string, at time.Time) error
	// Backup returns a table's backup by name. It returns the zero Backup if it does not exist.
	Backup(ctx context.Context, table, name string) (Backup, error)
	CreateBackup(ctx context.Context, table, name string) error
	DeleteBackup(ctx context.Context, arn string) error
	// RestoreFrom creates a table from a backup.
	RestoreFrom(ctx context.Context, arn, target string) error
	Protect(ctx context.Context, name string, on bool) error
	Delete(ctx context.Context, name string) error
	// Recoverable turns on point-in-time recovery, and Expires the time to live. Each returns
	// false while the table is too new for the change.
	Recoverable(ctx context.Context, name string) (bool, error)
	Expires(ctx context.Context, name, attribute string) (bool, error)

	// Queues returns the queues with event sources: all except the final dead-letter queues.
	Queues() []string
	Empty(ctx context.Context, queue string) error
}

// Wanted is a table of the stack.
type Wanted struct {
	Name string
	// TTL is the attribute with the expiry time of its items; empty for none.
	TTL string
}

// Table is the state of a table.
type Table struct {
	// Status is empty if the table does not exist, and Active if it can be used.
	Status string
	// From is the table from which, or from whose backup, this table was restored; empty if it was
	// not restored.
	From      string
	Protected bool
}

// Active is the status of a table that can be used.
const Active = "ACTIVE"

// Backup is a backup of a table.
type Backup struct {
	ARN   string
	Ready bool
}
