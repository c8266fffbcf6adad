package api

import (
	"cmp"
	"time"

	"github.com/turnstile-go/turnstile/internal/names"
)

// Queues has the numbers of messages in the queues.
type Queues struct {
	At     time.Time `json:"at"`
	Queues []Queue   `json:"queues"`
}

// Queue has the numbers of messages in a queue. On SQS they are approximate.
type Queue struct {
	// Name is "orchestrator", "delay", "activity", "activity-dead", "dead-fifo", "dead", or the
	// name of another activity queue.
	Name string `json:"name"`
	FIFO bool   `json:"fifo,omitempty"`
	// DeadLetters is set for a dead-letter queue.
	DeadLetters bool `json:"dead_letters,omitempty"`
	// Visible messages can be received, InFlight messages are being handled, Delayed messages are
	// not due.
	Visible  int `json:"visible"`
	InFlight int `json:"in_flight"`
	Delayed  int `json:"delayed"`
	// Pause is the last pause or unpause of an activity queue; omitted if there was none, or if the
	// console cannot pause the queue.
	Pause *QueuePause `json:"pause,omitempty"`
}

// QueuePause is whether an activity queue is paused, and who requested that when.
type QueuePause struct {
	Paused bool      `json:"paused"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// PausedQueue is a paused queue: its messages wait until it is unpaused.
type PausedQueue struct {
	// Name of the queue, as in [Queue]. Queue is the name by which an activity queue is paused
	// ("default" or another); omitted for other queues.
	Name  string `json:"name"`
	Queue string `json:"queue,omitempty"`
	// By is who paused it; omitted if no actor was given, and on AWS, where CloudTrail records it.
	By string `json:"by,omitempty"`
	// At is when it was paused; on AWS, when its event source was last changed. Omitted if not
	// known.
	At time.Time `json:"at,omitzero"`
}

// Text describes which queue is paused, since when and, if known, who paused it.
func (p *PausedQueue) Text() string {
	text := "the queue " + cmp.Or(p.Queue, p.Name) + " is paused"
	if p.By != "" {
		text += " by " + p.By
	}
	if !p.At.IsZero() {
		text += " since " + p.At.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return text
}

// PausedFor returns the pause that delays the attempts of an activity: that of its queue, or of the
// default queue if queue is empty. Nil if there is none.
func PausedFor(paused []PausedQueue, queue string) *PausedQueue {
	if queue == "" {
		queue = names.DefaultQueue
	}
	for i := range paused {
		if paused[i].Queue == queue {
			return &paused[i]
		}
	}
	return nil
}

// PauseQueue names an activity queue to pause or unpause.
type PauseQueue struct {
	// Queue is "default", or the name of an activity queue.
	Queue string `json:"queue"`
}

// QueueAges is how long the oldest messages have waited.
type QueueAges struct {
	Ages []QueueAge `json:"ages"`
}

// QueueAge is how long the oldest message of a queue has waited.
type QueueAge struct {
	Name string `json:"name"`
	// OldestSeconds is its age; 0 if the queue is empty.
	OldestSeconds float64 `json:"oldest_seconds"`
	// At is when that was measured; omitted if it was not, for example because the queue
	// has not been used for hours.
	At time.Time `json:"at,omitzero"`
}
