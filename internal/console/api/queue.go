package api

import "time"

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

// PauseQueue names an activity queue that is paused, or let go on.
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
	// At is when that was measured; left out where it was not, as of a queue that
	// nobody has used for hours.
	At time.Time `json:"at,omitzero"`
}
