//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/runtimeapi"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// fleet is several real processes of the two functions, on the tables of the
// stack and on queues of their own, which are polled here as Lambda's event
// source mappings would: in parallel, where LocalStack's run one batch after
// the other.
type fleet struct {
	stack  *stack
	spec   fleetSpec
	queues queues
	client *client.Client

	orchestrators, workers *pool

	mu        sync.Mutex
	random    *rand.Rand
	killsLeft int
	// What happened.
	delivered  map[delivered]int // by source and kind of the work item
	duplicated int
	killed     int
}

// fleetSpec says of what and how.
type fleetSpec struct {
	orchestrators, workers int
	// orchestrator and worker are executables with their environment, beside
	// what every function has.
	orchestrator, worker runtimeapi.Command
	// duplicates of 100 batches go to two processes at once.
	duplicates int
	// kills is how often a process is killed in the middle of an invocation.
	kills int
}

// delivered is where a kind of work item came from.
type delivered struct {
	source string
	kind   wire.Kind
}

// deadline of an invocation: the orchestrator function's timeout.
const deadline = time.Minute

// startFleet starts the processes and polls until stop is called, or the test
// ends. stop returns when nothing is in flight any more.
func startFleet(ctx context.Context, t *testing.T, s *stack, spec fleetSpec) (f *fleet, stop func()) {
	t.Helper()
	f = &fleet{
		stack: s, spec: spec, queues: createQueues(ctx, t, s),
		// Which batches are hit is not chance; when, within one, is.
		random: rand.New(rand.NewPCG(1, 2)), killsLeft: spec.kills, delivered: map[delivered]int{},
	}
	var err error
	f.client, err = awslambda.NewClient(ctx, awslambda.WithAWSConfig(s.cfg), awslambda.WithConfig(awslambda.Config{
		HistoryTable: variable(t, "TURNSTILE_HISTORY_TABLE"), InstancesTable: variable(t, "TURNSTILE_INSTANCES_TABLE"),
		OrchestratorQueueURL: f.queues.orchestrator.url,
	}))
	if err != nil {
		t.Fatal(err)
	}
	driver := runtimeapi.NewDriver()
	t.Cleanup(func() {
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	})
	f.orchestrators = startPool(ctx, t, driver, spec.orchestrator, orchestratorEnvironment(t, f.queues), spec.orchestrators)
	f.workers = startPool(ctx, t, driver, spec.worker, workerEnvironment(t, f.queues), spec.workers)

	polling, end := context.WithCancel(ctx)
	var pollers sync.WaitGroup
	for _, each := range []struct {
		queue *ownQueue
		pool  *pool
		times int
	}{
		{f.queues.orchestrator, f.orchestrators, spec.orchestrators},
		{f.queues.delay, f.orchestrators, 2},
		{f.queues.activityDead, f.orchestrators, 1},
		{f.queues.activity, f.workers, spec.workers},
	} {
		for range each.times {
			pollers.Go(func() { f.poll(polling, ctx, t, each.queue, each.pool) })
		}
	}
	stop = sync.OnceFunc(func() {
		end()
		pollers.Wait()
	})
	t.Cleanup(stop)
	t.Cleanup(func() {
		if t.Failed() {
			f.orchestrators.log(t)
			f.workers.log(t)
		}
	})
	return f, stop
}

// poll receives batches and delivers them, until polling ends. What it has
// received by then it still delivers.
func (f *fleet) poll(polling, ctx context.Context, t *testing.T, from *ownQueue, to *pool) {
	for {
		batch, err := from.receive(polling)
		if polling.Err() != nil {
			return
		}
		if err != nil {
			t.Errorf("receiving: %v", err)
			return
		}
		if len(batch) == 0 {
			continue
		}
		if err := f.deliver(ctx, from, to, batch); err != nil && ctx.Err() == nil {
			t.Errorf("delivering: %v", err)
		}
	}
}

// deliver invokes a process with a batch, or two at once, and deletes what one
// of them reports as done. What a killed process had comes back at once
// instead of after the visibility timeout, which outlasts a test.
func (f *fleet) deliver(ctx context.Context, from *ownQueue, to *pool, batch []record) error {
	first, err := to.take(ctx)
	if err != nil {
		return err
	}
	runs := []invocation{{process: first, batch: batch}}
	if f.shouldDuplicate() {
		if second := to.takeIdle(); second != nil {
			runs = append(runs, invocation{process: second, batch: f.again(batch)})
		}
	}
	f.count(from, batch, len(runs))
	var wait sync.WaitGroup
	for i := range runs {
		runs[i].killAfter = f.killAfter(batch)
		wait.Go(func() { runs[i].do(ctx, to) })
	}
	wait.Wait()

	done, back := map[string]bool{}, map[string]bool{}
	var errs []error
	for _, r := range runs {
		if r.killed {
			f.mu.Lock()
			f.killed++
			f.mu.Unlock()
		}
		errs = append(errs, r.err)
		for _, m := range batch {
			switch {
			case r.died:
				back[m.MessageId] = true
			case r.err == nil && !r.failed[m.MessageId]:
				done[m.MessageId] = true
			}
		}
	}
	for _, m := range batch {
		switch {
		case done[m.MessageId]:
			errs = append(errs, from.delete(ctx, m))
		case back[m.MessageId]:
			errs = append(errs, from.comeBack(ctx, m))
		}
	}
	return errors.Join(errs...)
}

// failures reads a partial batch response.
func failures(answer []byte) (map[string]bool, error) {
	var response struct {
		BatchItemFailures []struct {
			ItemIdentifier string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return nil, err
	}
	// Lambda would take null for a malformed answer.
	if response.BatchItemFailures == nil || bytes.Contains(answer, []byte("null")) {
		return nil, errors.New("M-10: not a partial batch response: " + string(answer))
	}
	failed := map[string]bool{}
	for _, f := range response.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	return failed, nil
}

func (f *fleet) shouldDuplicate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(100) < f.spec.duplicates
}

// again is the batch as it is delivered a second time while the first delivery
// still runs: by SQS, after a visibility timeout, as received once more; or,
// every other time and only where nothing is killed, as an exact copy. (Of two
// exact copies the one that finds the fact recorded acknowledges the message
// for both. SQS makes none on a FIFO queue.)
func (f *fleet) again(batch []record) []record {
	f.mu.Lock()
	exact := f.spec.kills == 0 && f.random.IntN(2) == 0
	f.mu.Unlock()
	if exact {
		return batch
	}
	out := make([]record, len(batch))
	for i, m := range batch {
		m.Attributes = maps.Clone(m.Attributes)
		m.Attributes[receiveCount] = m.received(1)
		out[i] = m
	}
	return out
}

// killAfter says when to kill a process; negative for not at all. A message
// that has come back often is left alone: five deaths in a row would rightly
// be taken for its doing (W-09).
func (f *fleet) killAfter(batch []record) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.killsLeft == 0 || f.random.IntN(3) > 0 {
		return -1
	}
	for _, m := range batch {
		if m.receives() > 2 {
			return -1
		}
	}
	f.killsLeft--
	return time.Duration(f.random.Int64N(int64(60 * time.Millisecond)))
}

func (f *fleet) count(from *ownQueue, batch []record, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if times > 1 {
		f.duplicated++
	}
	for _, m := range batch {
		item, err := wire.Parse([]byte(m.Body))
		kind := item.Kind
		if err != nil {
			kind = "malformed"
		}
		f.delivered[delivered{from.name, kind}] += times
	}
}
