package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/names"
)

// Limits of durable calls.
const (
	// MaxPayload is how large one value may be as JSON, in bytes: an input, a
	// result, the data of an event, a status. What is larger belongs in a bucket
	// or a table, and a reference to it in the value.
	MaxPayload = 256 << 10
	// MaxTimer is the longest timer: a hundred years. Beyond it lie times that
	// EventBridge Scheduler does not know (its years end with 2199), and mistakes of
	// unit.
	MaxTimer = 100 * 365 * 24 * time.Hour
	// MaxLimit is the most that [Limit] and [Rate] take. All permits of a Limit are one item;
	// each of a Rate is one of its own, and an attempt that finds none free has read them all.
	MaxLimit = names.MaxLimit
)
