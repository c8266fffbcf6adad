package memory

import (
	"errors"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("queue: closed")

// Queue is a queue in memory. It implements queue.Queue and is safe for
// concurrent use.
type Queue struct {
	opts Options

	mu       sync.Mutex
	closed   bool
	lastSeq  int64
	messages map[string]*message
	counts   Counts
	// waiting holds the messages that are in flight or delayed.
	waiting dueHeap
	// oldest is no later than the time at which the oldest message was sent.
	oldest time.Time
	// readyGroups and groups: FIFO only. visible: standard only.
	groups      map[string]*group
	readyGroups groupHeap
	visible     shares
	dedup       dedup

	// paused is set if nothing can be received.
	paused bool
	// ready is closed when a message can be received; nil if no caller waits.
	ready chan struct{}
	// stopTimer stops the timer armed for timerDue; nil if none is armed.
	stopTimer func() bool
	timerDue  time.Time
}

var _ queue.Queue = (*Queue)(nil)

// New returns a queue with the messages of its journal, or an empty one. The error lists every invalid
// option.
func New(opts Options) (*Queue, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	q := &Queue{opts: opts, messages: map[string]*message{}, groups: map[string]*group{}}
	if err := q.load(); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// FIFO reports whether it is a FIFO queue.
func (q *Queue) FIFO() bool { return q.opts.FIFO }

// Pause stops the queue from delivering messages, or lets it continue. It does not affect messages in
// flight.
func (q *Queue) Pause(paused bool) {
	q.present()
	defer q.unlock()
	q.paused = paused
}

// Close stops the queue's timer and makes waiting receivers return ErrClosed.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.unlock()
	q.closed = true
}
