package host

import (
	"encoding/json"
	"fmt"

	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// unsent is where the event of something stands that could not be sent.
type unsent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
}

// refusal is why something was not sent: what it was, and the word of its dead
// letter.
type refusal struct {
	unsent
	what   string
	reason wire.Reason
	err    error
}

// refuse leaves a dead letter for something that no message can hold and that
// nobody waits for: a detached start, or the cancel of a child. Its body is no
// work item, so that a redrive of it starts nothing with half of its input; it
// names the event, whose history holds all of it. Repeated with its dispatch,
// it may be there twice.
func (out *outbox) refuse(s *sending, eventID int64, what string, err error) {
	if edge.NotSealed(err) {
		out.failed(err)
		return
	}
	reason := wire.ReasonMalformed
	if edge.TooLarge(err) {
		reason = wire.ReasonTooLarge
	}
	text := fmt.Sprintf("%s: event %d of instance %q execution %d can't be sent: %v", what, eventID, s.Instance, s.ExecutionID, err)
	body, _ := json.Marshal(map[string]any{"unsent": unsent{s.Instance, s.ExecutionID, eventID}})
	m := queue.Outgoing{Body: string(body), Attributes: map[string]string{}}
	delivery.FitReason(&m, reason, edge.Cut(text, maxProblemMessage))
	out.queue(toDead, m)
	out.refused = append(out.refused, refusal{unsent{s.Instance, s.ExecutionID, eventID}, what, reason, err})
	out.note("dead letter", eventID, "")
}
