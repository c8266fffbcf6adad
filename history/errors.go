package history

import (
	"errors"
	"fmt"
)

// ErrNewer is wrapped by the error for a document version or an event kind
// that this build does not know: a newer build wrote it, so that a newer build
// has to go on with it. Nothing is wrong with the document.
var ErrNewer = errors.New("written by a newer build")

// DecodeError says where a history document is damaged. A damaged document is
// corruption: it is never guessed at.
type DecodeError struct {
	// EventID of the event that holds the damage; 0 outside an event or
	// before its event_id was read.
	EventID int64
	// Offset of the damage in the document, in bytes from 0.
	Offset int
	// Reason for people.
	Reason string
}

func (e *DecodeError) Error() string {
	if e.EventID == 0 {
		return fmt.Sprintf("history: malformed document at byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("history: malformed document at byte %d, event %d: %s", e.Offset, e.EventID, e.Reason)
}
