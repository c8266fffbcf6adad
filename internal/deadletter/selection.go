package deadletter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// Selection says which dead letters are meant; the zero value means all.
type Selection struct {
	// Queue, DeadFIFO or Dead; Reason, one of those of package wire or NoReason;
	// Instance; IDs of messages.
	Queue, Reason, Instance string
	IDs                     []string
}

// NoReason selects what SQS moved itself.
const NoReason = "none"

// InvalidError says which part of a selection cannot be.
type InvalidError struct {
	// Field that it is, in lower case.
	Field, Value string
	// OneOf are the values that it can have.
	OneOf []string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s %q: one of %s", e.Field, e.Value, strings.Join(e.OneOf, ", "))
}

// Check returns an *InvalidError for a queue or a reason that does not exist.
func (s *Selection) Check() error {
	if s.Queue != "" && !slices.Contains(Final(), s.Queue) {
		return &InvalidError{Field: "queue", Value: s.Queue, OneOf: Final()}
	}
	reasons := []string{NoReason}
	for _, r := range wire.Reasons() {
		reasons = append(reasons, string(r))
	}
	if s.Reason != "" && !slices.Contains(reasons, s.Reason) {
		return &InvalidError{Field: "reason", Value: s.Reason, OneOf: reasons}
	}
	return nil
}

// Has reports whether the letter is selected, its queue apart.
func (s *Selection) Has(l *Letter) bool {
	reason := string(l.Reason)
	if reason == "" {
		reason = NoReason
	}
	return (s.Reason == "" || s.Reason == reason) && (s.Instance == "" || s.Instance == l.Instance()) &&
		(len(s.IDs) == 0 || slices.Contains(s.IDs, l.ID))
}

// Queues are those to look into.
func (s *Selection) Queues() []string {
	if s.Queue != "" {
		return []string{s.Queue}
	}
	return Final()
}
