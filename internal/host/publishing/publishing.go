// Package publishing sends events about instances to the event bus: events of a dispatch, and
// events that an earlier dispatch queued for later.
package publishing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Time limits how long a call to the event bus may delay other work. Events that the bus has not
// accepted by then wait in the delay queue and are published from there.
const Time = 2 * time.Second

const (
	// Rest is how long a process does not call the bus after a slow failure. Without this rest
	// every invocation, and the messages queued behind it, would wait for the bus again.
	Rest = 30 * time.Second
	// slow is the duration from which a failed call makes the process rest.
	slow = Time / 4
)

// ErrResting is the error for events that are not sent because the bus failed recently (see Rest).
var ErrResting = errors.New("host: the event bus is not called because it failed within the last 30 s")

// Schema is the schema version of events about instances.
const Schema = 1

// Publisher sends events about instances to their subscribers.
type Publisher interface {
	// Publish sends events of one or more instances. If only some of them fail, the error is a
	// *queue.PartialError with their indexes; any other error means that all failed. Failed events
	// are published again later. Successful events may also be published again, so a subscriber may
	// receive an event twice. Publish may be called from several goroutines at once, and must
	// return soon after ctx ends.
	Publish(ctx context.Context, events []host.InstanceEvent) error
}

// Bus sends events about instances to a Publisher. A process has one.
type Bus struct {
	// To is nil without a subscriber.
	To       Publisher
	Clock    clock.Clock
	Observer host.Observer

	mu sync.Mutex
	// rests is the time before which the bus is not called; zero while the bus works.
	rests time.Time
}

// Publish sends events to the bus and waits for it no longer than Time. Use queue.ErrorOf on its
// error to find the events that the bus has not accepted. For the duration of Rest after a slow
// failure it returns ErrResting without a call.
func (b *Bus) Publish(ctx context.Context, events []host.InstanceEvent) error {
	err := b.call(ctx, events)
	failed := 0
	for i := range events {
		if queue.ErrorOf(err, i) != nil {
			failed++
		}
	}
	if n := len(events) - failed; n > 0 {
		b.Observer.Count(host.CountInstanceEvents, "published", n)
	}
	if failed > 0 {
		b.Observer.Count(host.CountInstanceEvents, "failed", failed)
	}
	return err
}

func (b *Bus) call(ctx context.Context, events []host.InstanceEvent) error {
	startedAt := b.Clock.Now()
	b.mu.Lock()
	resting := startedAt.Before(b.rests)
	b.mu.Unlock()
	if resting {
		return ErrResting
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	defer b.Clock.AfterFunc(Time, cancel)()
	err := b.To.Publish(within, events)
	if now := b.Clock.Now(); err != nil && now.Sub(startedAt) >= slow {
		b.mu.Lock()
		b.rests = now.Add(Rest)
		b.mu.Unlock()
	}
	return err
}

// EventOf parses an event that was queued as an item.
func EventOf(data json.RawMessage) (e host.InstanceEvent, err error) {
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("host: event: expected a published instance event: %w", err)
	}
	return e, nil
}

// Number returns the number of an instance event. Compared as text, it is greater than the numbers
// of all earlier events. The event of a problem has the id of the last history event, and the
// problem number (stamp) orders it among the events with the same id.
func Number(execution, event, stamp int64) string {
	return fmt.Sprintf("%010d.%010d.%010d", execution, event, stamp)
}

// EventIDOf returns the event id in a number; 0 if there is none.
func EventIDOf(number string) (event int64) {
	_, rest, _ := strings.Cut(number, ".")
	text, _, _ := strings.Cut(rest, ".")
	event, _ = strconv.ParseInt(text, 10, 64)
	return event
}
