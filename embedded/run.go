package embedded

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
)

// Run handles messages until ctx ends. Then it lets running batches and activities finish (their
// context ends after the shutdown timeout), and returns when all have ended. It returns an error if
// the last writes could not be saved in the database, or if the console failed. A runtime can run
// only once.
func (e *Runtime) Run(ctx context.Context) error {
	if e.ran.Swap(true) {
		return errors.New("embedded: Run was already called, and a runtime runs only once: create another with New")
	}
	handling, stopHandling := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHandling()

	var receivers, driver sync.WaitGroup
	var received []*memoryqueue.Queue
	for _, s := range e.sources() {
		received = append(received, s.Queue)
		receivers.Go(func() { e.receive(ctx, handling, s) })
	}
	driving, stopDriving := context.WithCancel(context.WithoutCancel(ctx))
	defer stopDriving()
	switch {
	case e.virtual != nil && e.virtual.flow != nil:
		driver.Go(func() { shortenWaits(driving, e.virtual, e.gauge, received, e.opts.pace) })
	case e.virtual != nil:
		driver.Go(func() { skipWaits(driving, e.virtual, e.gauge, received, e.opts.stall) })
	}

	if e.beside != nil {
		e.beside.begin()
	}
	if e.opts.database != nil {
		// Wake the instances that an earlier process left stuck, and purge expired ones that ended
		// in that process.
		e.sweeper.At(e.clock.Now(), false)
		e.sweeper.At(e.clock.Now(), true)
	}

	<-ctx.Done()
	var errBeside error
	if e.beside != nil {
		errBeside = e.beside.end()
	}
	lastCall := time.AfterFunc(e.opts.grace, stopHandling)
	receivers.Wait()
	lastCall.Stop()
	stopDriving()
	driver.Wait()
	return errors.Join(errBeside, e.close())
}

// receive takes batches from one queue and handles them, as many at a time as there are workers,
// until ctx ends. One worker waits for the queue while the others handle batches. So a message
// wakes only one worker, and that worker handles it without passing it to another goroutine.
func (e *Runtime) receive(ctx, handling context.Context, s queues.Source) {
	most := queue.MaxReceive
	if s.Is == platform.SourceActivity {
		most = 1
	}
	waiting := make(chan struct{}, 1)
	next := func() (batch []queue.Message) {
		waiting <- struct{}{}
		defer func() { <-waiting }()
		for len(batch) == 0 && ctx.Err() == nil {
			select {
			case <-ctx.Done():
				return nil
			case <-s.Queue.Ready():
			}
			e.gauge.begin()
			// Without a message, the context has ended or another receiver took the message.
			if batch, _ = s.Queue.Receive(ctx, most, 0); len(batch) == 0 {
				e.gauge.end()
			}
		}
		return batch
	}
	var workers sync.WaitGroup
	for range e.workersOf(s) {
		workers.Go(func() {
			for batch := next(); len(batch) > 0; batch = next() {
				e.handle(handling, s, batch)
				e.gauge.end()
			}
		})
	}
	workers.Wait()
}

func (e *Runtime) handle(handling context.Context, s queues.Source, batch []queue.Message) {
	deliveries := make([]platform.Delivery, len(batch))
	for i, m := range batch {
		deliveries[i] = platform.Delivery{Message: m, Source: s.Is}
	}
	var failed []string
	if s.Is == platform.SourceActivity {
		begun := e.attempts.begin(batch)
		failed = e.workers[s.Name].Handle(handling, deliveries)
		e.attempts.end(begun)
	} else {
		failed = e.orchestrator.Handle(handling, deliveries)
	}
	// Messages that cannot be deleted are redelivered, as on SQS.
	_ = queue.Settle(handling, s.Queue, batch, failed)
}
