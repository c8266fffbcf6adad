package worker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// An attempt that was sent to the default queue, because its sender knew no other, is requeued until a worker knows its
// queue and forwards it there, under its key.
func TestAnAttemptIsForwardedToItsQueueUnderItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		gpu, err := queuememory.New(queuememory.Options{Name: "gpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer gpu.Close()
		served := false
		h.Queues.Named = func(name string) queue.Queue {
			if !served || name != "gpu" {
				return nil
			}
			return gpu
		}
		policy := history.Retry{Queue: "gpu", FairKey: "tenant-1"}
		h.sendLimited(t, 1, policy)
		h.takeAll(t, time.Hour)
		h.want(t, 0, 1, 0) // No worker serves the queue: the attempt does not run, but is not lost.
		if m := h.activities.Snapshot(); len(m) != 1 || m[0].Group != wire.Group("tenant-1") {
			t.Errorf("it goes round as %+v, want the group of its key", m)
		}
		served = true
		h.takeAll(t, 20*time.Minute) // A requeued attempt waits for 15 minutes at most.
		h.want(t, 0, 0, 0)
		if m := gpu.Snapshot(); len(m) != 1 || m[0].Group != wire.Group("tenant-1") {
			t.Errorf("in its queue is %+v, want the attempt under the group of its key", m)
		}
		// A worker of its queue runs it, even if it arrived through the default queue.
		h.Queue = "gpu"
		h.sendLimited(t, 2, policy)
		h.takeAll(t, time.Second)
		h.want(t, 1, 1, 0)
		h.let <- nil
		synctest.Wait()
		h.want(t, 1, 0, 1)
	})
}
