package store

// Limits of what a store is given.
const (
	// MaxInstance is the greatest length of an instance id in bytes. The API checks
	// narrower limits; these are the limits of a table's keys.
	MaxInstance = 1000
	// MaxToken is the greatest length of Turn.Token.
	MaxToken = 128
	// MaxAhead is the last event that can be written ahead of its turn.
	MaxAhead = 1<<22 - 1
	// MaxNextText is how much of a failure's text goes with the attempt that follows
	// it, in bytes.
	MaxNextText = 500
	// MaxEarlier is how many failed attempts are kept before the last one, and MaxEarlierText
	// how much of their texts, in bytes: on DynamoDB the item of an activity with errors up to
	// that length stays below 1 KB, so that they cost nothing.
	MaxEarlier     = 3
	MaxEarlierText = 100
	// MaxEarlierStarts is how many start ids of earlier runs a record keeps.
	MaxEarlierStarts = 32
	// MaxForks is how many of its forks a record names.
	MaxForks = 16
	// DefaultPageSize and MaxPageSize bound a page of a ListQuery.
	DefaultPageSize = 100
	MaxPageSize     = 1000
)
