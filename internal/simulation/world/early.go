package world

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// FireID returns the id with which operators fire a timer early: the n-th of them, for the
// first or the second time.
func FireID(event int64, n, again int) string { return fmt.Sprintf("fire-%d-%d-%d", event, n, again) }

// FiredBy returns the event of the timer that an id of FireID fires; 0 for any other id.
func FiredBy(id string) (event int64) {
	var n, again int
	if _, err := fmt.Sscanf(id, "fire-%d-%d-%d", &event, &n, &again); err != nil {
		return 0
	}
	return event
}

// RetryID returns the id with which operators start a waiting attempt: the attempt with the number
// named, or any if named is 0. n and again make ids unique.
func RetryID(event int64, named, n, again int) string {
	return fmt.Sprintf("retry-%d-%d-%d-%d", event, named, n, again)
}

// RetriedBy returns the event of the activity that an id of RetryID is for, and the attempt
// that it names; zeros for any other id.
func RetriedBy(id string) (event int64, named int) {
	var n, again int
	if _, err := fmt.Sscanf(id, "retry-%d-%d-%d-%d", &event, &named, &n, &again); err != nil {
		return 0, 0
	}
	return event, named
}

// retriesNow lets an operator who sees that an attempt waits for its retry delay start the attempt
// at once. Sometimes two operators do so, or an operator does so twice, or so late that the attempt
// is due anyway.
func (w *World) retriesNow(key store.ActivityKey, next store.NextAttempt) {
	left := next.DueAt.Sub(w.Clock.Now())
	how := w.Choices.At(w.Choices.At(choice.OfClient, key.Instance), fmt.Sprint("retry ", key.ExecutionID, key.EventID, next.Attempt))
	if w.Walk != nil || left <= 0 || !w.Choices.OneIn(how, 6) {
		return
	}
	item := wire.Item{Kind: wire.RetryActivity, Instance: key.Instance, ExecutionID: key.ExecutionID, SourceEventID: key.EventID}
	if w.Choices.Even(how) {
		item.Attempt = next.Attempt
	}
	retry := func(again int) {
		own := item
		own.ID = RetryID(key.EventID, item.Attempt, next.Attempt, again)
		w.SendItem(own)
	}
	after := time.Duration(w.Choices.IntN(how, int(left/time.Millisecond)+1)) * time.Millisecond
	switch w.Choices.IntN(how, 4) {
	case 0:
	case 1:
		after = max(left-time.Duration(w.Choices.IntN(how, 20))*time.Second, 0)
	default:
		after /= 10
	}
	w.Clock.AfterFunc(after, func() { retry(0) })
	if w.Choices.OneIn(how, 3) {
		w.Clock.AfterFunc(after+time.Duration(w.Choices.IntN(how, 60))*time.Second, func() { retry(w.Choices.IntN(how, 2)) })
	}
}
