package queues

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// refusing is a queue that rejects messages for a while.
type refusing struct {
	queue.Queue
	refuses int
	taken   []string
}

func (q *refusing) Send(_ context.Context, msgs ...queue.Outgoing) error {
	if q.refuses--; q.refuses >= 0 {
		return errors.New("the disk is full")
	}
	for _, m := range msgs {
		q.taken = append(q.taken, m.Body)
	}
	return nil
}

func TestASweepThatTheQueueRefusesIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, ended := range map[string]bool{"of what is stuck": false, "of what has ended": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Unix(0, 0)
			c, q := clock.NewVirtual(start), &refusing{refuses: 3}
			s := NewSweeper(c, q)
			s.At(start.Add(time.Hour), ended)
			for len(q.taken) == 0 && c.Fire(true) {
			}
			if len(q.taken) != 1 {
				t.Fatalf("%d sweeps after an hour and three refusals, want 1", len(q.taken))
			}
			item, err := wire.Parse([]byte(q.taken[0]))
			if err != nil || item.Kind != wire.Sweep || (item.Ended != "") != ended {
				t.Errorf("sent %s, %v", q.taken[0], err)
			}
			if late := c.Now().Sub(start.Add(time.Hour)); late > 20*time.Minute {
				t.Errorf("it came %s late", late)
			}
			if c.Fire(true) {
				t.Error("another one is to come")
			}
			s.At(c.Now().Add(time.Minute), ended)
			q.refuses = 1
			c.Fire(true)
			s.Close()
			for c.Fire(true) {
			}
			if len(q.taken) != 1 {
				t.Errorf("%d sweeps after it was closed", len(q.taken))
			}
		})
	}
}
