package deadletter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// Selection selects dead letters; the zero value selects all.
type Selection struct {
	// Queue is "dead-fifo" or "dead".
	Queue string `json:"queue,omitempty"`
	// Reason for which they were moved; "none" for messages that SQS moved itself.
	Reason   string   `json:"reason,omitempty"`
	Instance string   `json:"instance,omitempty"`
	IDs      []string `json:"message_ids,omitempty"`
}

// NoReason selects the messages that SQS moved itself.
const NoReason = "none"

// InvalidError says which field of a selection is invalid.
type InvalidError struct {
	// Field is the name of the field, in lower case.
	Field, Value string
	// OneOf are the valid values.
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

// Has reports whether the dead letter is selected, apart from its queue.
func (s *Selection) Has(l *Letter) bool {
	reason := string(l.Reason)
	if reason == "" {
		reason = NoReason
	}
	return (s.Reason == "" || s.Reason == reason) && (s.Instance == "" || s.Instance == l.Instance()) &&
		(len(s.IDs) == 0 || slices.Contains(s.IDs, l.ID))
}

// Queues returns the queues to read.
func (s *Selection) Queues() []string {
	if s.Queue != "" {
		return []string{s.Queue}
	}
	return Final()
}
