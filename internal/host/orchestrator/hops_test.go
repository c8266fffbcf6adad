package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// call is the duration of a call in these tests.
const call = 8 * time.Millisecond

// busOf is a bus whose calls take some time.
type busOf struct {
	clock *virtualClock
	// takes is the duration of a call. A call that takes longer than its caller waits fails.
	takes time.Duration
	calls [][]string
	taken int
	// refuses are the instances whose events the bus refuses.
	refuses map[string]bool
}

func (b *busOf) Publish(ctx context.Context, events []host.InstanceEvent) error {
	var instances []string
	for i := range events {
		instances = append(instances, events[i].Instance)
	}
	b.calls = append(b.calls, instances)
	for rest := b.takes; rest > 0 && ctx.Err() == nil; rest -= call {
		b.clock.Advance(min(rest, call))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := map[int]error{}
	for i, instance := range instances {
		if b.refuses[instance] {
			failed[i] = errors.New("throttled")
		}
	}
	b.taken += len(events) - len(failed)
	return queue.Partial(failed, len(events))
}

// waitingEvent returns an instance event that waits to be published.
func waitingEvent(instance string, n int) wire.Item {
	e := host.InstanceEvent{Schema: 1, Type: "completed", Instance: instance, Execution: 1, Number: fmt.Sprintf("%010d.%010d.%010d", 1, n, 0)}
	data, _ := json.Marshal(e)
	return wire.Item{Kind: wire.InstanceEvent, Instance: instance, ExecutionID: 1, ID: e.Number, Event: data, Hops: 1}
}

func dueEvent(instance string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: "go", Data: []byte("1"), ID: "e"}
}

// sends lists the number of messages in each call that sends to a queue.
func (w *world) sends(name string) *[]int {
	var calls []int
	before := w.beforeSend
	w.beforeSend = func(queueName string, msgs []queue.Outgoing) error {
		if queueName == name {
			calls = append(calls, len(msgs))
		}
		if before != nil {
			return before(queueName, msgs)
		}
		return nil
	}
	return &calls
}

func (w *world) handleDelayed(t *testing.T) (more bool) {
	t.Helper()
	batch, err := w.delay.Receive(t.Context(), 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch) > 0 {
		w.handle(source{"delay", w.delay, platform.SourceDelay}, batch)
	}
	return len(batch) > 0
}

func TestTheDelayQueueForwardsTenMessagesInACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	calls := w.sends("fifo")
	const messages = 2000
	for i := range messages {
		w.sendStandard(dueEvent(fmt.Sprint("a", i%500)))
	}
	for w.handleDelayed(t) {
	}
	n := 0
	for _, c := range *calls {
		n += c
	}
	if n != messages || len(*calls) != messages/10 {
		t.Errorf("%d messages in %d calls, want %d in %d", n, len(*calls), messages, messages/10)
	}
}

func TestMessagesThatAreNotDueAreRequeuedInOneCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	calls := w.sends("delay")
	for i := range 10 {
		w.sendStandard(wire.Item{Kind: wire.Wake, Instance: fmt.Sprint("a", i), ID: "w", NotBeforeMS: w.clock.Now().Add(time.Hour).UnixMilli()})
	}
	w.handleDelayed(t)
	if got := fmt.Sprint(*calls); got != "[10]" {
		t.Errorf("calls of %s messages", got)
	}
}

// Only the refused messages of a call return to the queue. A message that the FIFO queue never
// accepts is a dead letter.
func TestMessagesForwardedInOneCallHaveSeparateOutcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.beforeSend = func(queueName string, msgs []queue.Outgoing) error {
		if queueName == "fifo" {
			return &queue.PartialError{Of: len(msgs), Failed: map[int]error{1: queue.ErrUnavailable, 2: &queue.RejectedError{Index: 2, Code: "InvalidMessageContents"}}}
		}
		return nil
	}
	for i := range 4 {
		w.sendStandard(dueEvent(fmt.Sprint("a", i)))
	}
	w.handleDelayed(t)
	if dead := w.deadStandard.Peek(); len(dead) != 1 {
		t.Errorf("%d dead letters, want the one that was rejected", len(dead))
	}
	left := w.delay.Peek()
	if len(left) != 1 {
		t.Fatalf("%d messages left in the delay queue, want the one that was refused", len(left))
	}
	if item, err := wire.Parse([]byte(left[0].Body)); err != nil || item.Instance != "a1" {
		t.Errorf("%s is left: %v", left[0].Body, err)
	}
}

func TestWaitingEventsArePublishedInOneCallAfterDueMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	bus := &busOf{clock: w.clock, refuses: map[string]bool{"a3": true, "a6": true}}
	w.change(func(cfg *Config) { cfg.Services.Publisher = bus })
	forwarded, rounds := 0, w.sends("delay")
	w.beforeSend = func(before func(string, []queue.Outgoing) error) func(string, []queue.Outgoing) error {
		return func(queueName string, msgs []queue.Outgoing) error {
			if queueName == "fifo" {
				forwarded += len(msgs)
				if len(bus.calls) > 0 {
					t.Error("a message that is due waits for the bus")
				}
			}
			return before(queueName, msgs)
		}
	}(w.beforeSend)
	for i := range 8 {
		w.sendStandard(waitingEvent(fmt.Sprint("a", i), 9))
	}
	w.sendStandard(dueEvent("b1"))
	w.sendStandard(dueEvent("b2"))
	w.handleDelayed(t)
	if len(bus.calls) != 1 || len(bus.calls[0]) != 8 || bus.taken != 6 || forwarded != 2 || fmt.Sprint(*rounds) != "[2]" {
		t.Errorf("calls of the bus %v, %d taken, %d forwarded, rounds %v", bus.calls, bus.taken, forwarded, *rounds)
	}
	var again []string
	for _, m := range w.delay.Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil || item.Hops != 2 {
			t.Errorf("%s goes round: %v", m.Body, err)
		}
		again = append(again, item.Instance)
	}
	if fmt.Sprint(again) != "[a3 a6]" {
		t.Errorf("%v go round, want the two that the bus refused", again)
	}
}

// Due messages are not delayed by a bus that does not respond.
func TestDueMessagesDoNotWaitForAnUnresponsiveBus(t *testing.T) {
	t.Parallel()
	const due = 100
	latest := func(t *testing.T, events int, takes time.Duration) (time.Duration, *busOf) {
		w := newWorld(t, func(w *world) {
			w.orchestration("Ends", func(_ *engine.Context, _ []byte) ([]byte, error) { return []byte("1"), nil })
		})
		bus := &busOf{clock: w.clock, takes: takes}
		w.change(func(cfg *Config) { cfg.Services.Publisher = bus })
		startedAt, last, forwarded := w.clock.Now(), time.Duration(0), 0
		w.beforeSend = func(queueName string, msgs []queue.Outgoing) error {
			w.clock.Advance(call)
			if queueName == "fifo" {
				forwarded += len(msgs)
				last = w.clock.Now().Sub(startedAt)
			}
			return nil
		}
		for i := range events {
			w.sendStandard(waitingEvent(fmt.Sprint("a", i), 9))
			if i%(events/due) == 0 {
				w.sendStandard(dueEvent(fmt.Sprint("b", i)))
			}
		}
		for w.handleDelayed(t) && forwarded < due {
		}
		if forwarded != due {
			t.Fatalf("%d messages that are due are forwarded, want %d", forwarded, due)
		}
		return last, bus
	}
	for _, events := range []int{1000, 5000} {
		t.Run(fmt.Sprint(events, " events"), func(t *testing.T) {
			t.Parallel()
			answers, _ := latest(t, events, call)
			hangs, bus := latest(t, events, time.Hour)
			t.Logf("the last due message: %s beside a bus that answers, %s beside one that does not, which is called %d times", answers, hangs, len(bus.calls))
			if hangs-answers > 5*time.Second {
				t.Errorf("it comes %s later", hangs-answers)
			}
		})
	}
}
