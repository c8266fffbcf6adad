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
	// waiting holds what is in flight or delayed.
	waiting dueHeap
	// oldest is no later than when the oldest message was sent.
	oldest time.Time
	// readyGroups and groups: FIFO only. visible: standard only.
	groups      map[string]*group
	readyGroups groupHeap
	visible     shares
	dedup       dedup

	// paused: nothing can be received.
	paused bool
	// ready is closed when a message can be received; nil while nobody asks.
	ready chan struct{}
	// stopTimer stops the timer armed for timerDue; nil while none is.
	stopTimer func() bool
	timerDue  time.Time
}

var _ queue.Queue = (*Queue)(nil)

// New returns a queue, with what its journal has kept or empty. The error names
// every option that can't be.
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

// Pause has nothing received, or ends that. Messages that are in flight are not touched.
func (q *Queue) Pause(paused bool) {
	q.present()
	defer q.unlock()
	q.paused = paused
}

// Close stops the queue's timer and lets waiting receivers return ErrClosed.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.unlock()
	q.closed = true
}
