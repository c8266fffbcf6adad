package store

// Limits of values that are passed to a store.
const (
	// MaxInstance is the maximum length of an instance id in bytes. The API has lower limits; these
	// are the limits of a table's keys.
	MaxInstance = 1000
	// MaxToken is the maximum length of Turn.Token.
	MaxToken = 128
	// MaxNextText is the maximum number of bytes of a failure's message that are stored with the
	// next attempt.
	MaxNextText = 500
	// MaxEarlier is the number of failed attempts before the last one that are kept, and
	// MaxEarlierText the number of bytes kept of each message. On DynamoDB the item of an activity
	// with errors up to that length stays below 1 KB, so keeping them costs nothing.
	MaxEarlier     = 3
	MaxEarlierText = 100
	// MaxEarlierStarts is the maximum number of start ids of earlier runs that a record keeps.
	MaxEarlierStarts = 32
	// MaxForks is the maximum number of forks that a record lists.
	MaxForks = 16
	// DefaultPageSize and MaxPageSize are the default and the limit of ListQuery.PageSize.
	DefaultPageSize = 100
	MaxPageSize     = 1000
)
