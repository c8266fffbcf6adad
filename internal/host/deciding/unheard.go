package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// resultsFirst reorders a batch in which one message reports that the result of an attempt or of a
// pending activity is unknown, and a later message has the result. It moves the report after the
// result. The batch has this order if the report was handled but its acknowledgement was lost: then
// the report is redelivered together with the result of the next attempt.
func (a pendingActivities) resultsFirst() {
	messages := a.Group.Messages
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.State != inbox.Unsettled || !m.Unheard() && m.Item.Kind != wire.ActivityPending {
			continue
		}
		n := slices.IndexFunc(messages[i+1:], func(o *inbox.Message) bool { return a.completes(o, m.Item.SourceEventID) })
		if n >= 0 {
			copy(messages[i:], messages[i+1:i+n+2])
			messages[i+n+1] = m
			m.Place = messages[i+n].Place // inOrder leaves it after the result.
			i--
		}
	}
}

// interrupted handles a message which reports that an attempt that runs at most once was
// interrupted without a known result (inbox.Message.Unheard). Messages of an instance keep their
// order, so a result that was sent earlier is already in the history, and the activity is no longer
// open. A result in the same batch is handled first (resultsFirst). If the policy allows a further
// attempt, the attempt is sent and the message settled; otherwise the message becomes the
// activity's failure.
func (a pendingActivities) interrupted(m *inbox.Message) (p Plan, err error) {
	if _, open := a.Running.Work[m.Item.SourceEventID]; !open || m.Item.Details == nil {
		return p, nil
	}
	if a.Running.Warm && !a.Running.Confirmed() {
		return p, ErrStale // As in nextOf.
	}
	scheduled, err := a.scheduled(m.Item.SourceEventID)
	if err != nil {
		return p, err
	}
	f := *m.Item.Details.History()
	if scheduled.Retry == nil || !scheduled.Retry.AtMostOnce {
		return p, nil
	}
	if activities.Retryable(scheduled.Retry, &f, f.Attempt) {
		p, err = a.nextOf(m, scheduled, &f, "interrupted")
	}
	p.Reports = []Report{counted(host.CountAttempts, history.FailureInterrupted)}
	return p, err
}
