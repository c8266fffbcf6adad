package history

import (
	"errors"
	"fmt"
)

// ErrNewer is wrapped by the error for a document version or an event kind that this
// build does not know. A newer build wrote the document, so a newer build has to continue
// the instance. The document is not damaged.
var ErrNewer = errors.New("written by a newer build")

// DecodeError is returned for a damaged history document. Decode never guesses what a damaged
// document meant.
type DecodeError struct {
	// EventID of the damaged event; 0 if the damage is outside an event or before its
	// event_id.
	EventID int64
	// Offset of the damage in the document, in bytes from 0.
	Offset int
	// Reason describes the damage, for people.
	Reason string
}

func (e *DecodeError) Error() string {
	if e.EventID == 0 {
		return fmt.Sprintf("history: malformed document at byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("history: malformed document at byte %d, event %d: %s", e.Offset, e.EventID, e.Reason)
}
