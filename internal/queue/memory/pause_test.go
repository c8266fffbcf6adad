package memory_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
)

func TestNothingIsReceivedFromAPausedQueue(t *testing.T) {
	t.Parallel()
	now := clock.NewVirtual(time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC))
	for _, fifo := range []bool{false, true} {
		q, err := memory.New(memory.Options{Name: "q", FIFO: fifo, Clock: now, Visibility: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		send := func(id string) {
			t.Helper()
			o := queue.Outgoing{Body: id}
			if fifo {
				o.Group, o.DedupID = "g"+id, id
			}
			if err := q.Send(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		receive := func(want int) []queue.Message {
			t.Helper()
			got, err := q.Receive(t.Context(), 1, 0)
			if err != nil || len(got) != want {
				t.Errorf("FIFO %t: received %d, %v; want %d", fifo, len(got), err, want)
			}
			return got
		}
		send("1")
		send("2")
		under := receive(1)
		q.Pause(true)
		receive(0)
		ready := q.Ready()
		select {
		case <-ready:
			t.Errorf("FIFO %t: a paused queue is ready", fifo)
		default:
		}
		if err := q.Delete(t.Context(), under[0]); err != nil {
			t.Error(err)
		}
		if n := q.Counts(); n.Visible != 1 || n.InFlight != 0 {
			t.Errorf("FIFO %t: a paused queue has %+v", fifo, n)
		}
		q.Pause(false)
		<-ready
		receive(1)
		q.Close()
	}
}
