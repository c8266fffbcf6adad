package memory_test

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Within:      synctest.Test,
		VirtualTime: true,
		Open: func(t *testing.T, s queuetest.Spec) (queue.Queue, queue.Queue) {
			opts := memory.Options{FIFO: s.FIFO, Visibility: s.Visibility, MaxReceiveCount: s.MaxReceive}
			if s.MaxReceive > 0 {
				opts.DeadLetter = open(t, memory.Options{Name: "dead", FIFO: s.FIFO})
			}
			return open(t, opts), opts.DeadLetter
		},
	})
}

func open(t *testing.T, opts memory.Options) *memory.Queue {
	t.Helper()
	q, err := memory.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}
