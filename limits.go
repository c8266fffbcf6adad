package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/names"
)

// These are the limits of durable calls.
const (
	// MaxPayload is the maximum size of one value as JSON, in bytes: an input, a result, the data
	// of an event, a status. Store larger data in a bucket or a table, and pass a reference.
	MaxPayload = 256 << 10
	// MaxTimer is the longest timer: a hundred years. EventBridge Scheduler accepts no time after
	// the year 2199, and a longer duration is probably a wrong unit.
	MaxTimer = 100 * 365 * 24 * time.Hour
	// MaxLimit is the largest n of [Limit] and [Rate]. All permits of a key are in one item of
	// the activities table, and DynamoDB accepts 1,000 write units per second for an item.
	MaxLimit = names.MaxLimit
)
