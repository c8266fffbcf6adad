package api

import (
	"cmp"
	"time"

	"github.com/turnstile-go/turnstile/internal/names"
)

// Queues is how full the queues are.
type Queues struct {
	At     time.Time `json:"at"`
	Queues []Queue   `json:"queues"`
}

// Queue is how full a queue is. On SQS the numbers are approximate.
type Queue struct {
	// Name: "orchestrator", "delay", "activity", "activity-dead", "dead-fifo",
	// "dead".
	Name string `json:"name"`
	FIFO bool   `json:"fifo,omitempty"`
	// DeadLetters: what stands there was given up.
	DeadLetters bool `json:"dead_letters,omitempty"`
	// Visible can be received, InFlight is being handled, Delayed is not due.
	Visible  int `json:"visible"`
	InFlight int `json:"in_flight"`
	Delayed  int `json:"delayed"`
	// Pause is how an activity queue was paused, or the end of that, last; left out where it
	// never was, and where the console cannot pause it.
	Pause *QueuePause `json:"pause,omitempty"`
}

// QueuePause says whether an activity queue is paused, and who asked for that when.
type QueuePause struct {
	Paused bool      `json:"paused"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// PausedQueue is a queue that is paused: what waits in it stays there until it is unpaused.
type PausedQueue struct {
	// Name of the queue as [Queue] has it; Queue is the name by which an activity queue is paused,
	// "default" or another, and is left out for other queues.
	Name  string `json:"name"`
	Queue string `json:"queue,omitempty"`
	// By is who paused it; omitted if no actor was given, and on AWS, where CloudTrail has it.
	By string `json:"by,omitempty"`
	// At is when; on AWS when its event source was changed last. Left out where that is not known.
	At time.Time `json:"at,omitzero"`
}

// Text says which queue is paused, who paused it, as far as that is known, and since when.
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

// PausedFor returns the pause that keeps an activity from being attempted: that of its queue, the
// default one if queue is empty. Nil if there is none.
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
	// Queue: "default", or the name of one.
	Queue string `json:"queue"`
}

// QueueAges is how long the oldest messages have waited.
type QueueAges struct {
	Ages []QueueAge `json:"ages"`
}

// QueueAge is how long the oldest message of a queue has waited.
type QueueAge struct {
	Name string `json:"name"`
	// OldestSeconds is its age; 0 where the queue is empty.
	OldestSeconds float64 `json:"oldest_seconds"`
	// At is when that was measured; omitted if it was not, for example because the queue
	// has not been used for hours.
	At time.Time `json:"at,omitzero"`
}
