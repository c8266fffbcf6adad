// Package publishing gives events about instances to the bus: those of a dispatch, and
// those that a dispatch left to be published later.
package publishing

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Time bounds how long a bus may hold up others. Events that it has not accepted by then
// wait in the delay queue, and are published from there.
const Time = 2 * time.Second

// Schema of the events about instances.
const Schema = 1

// Publisher gives events about instances to those who subscribe to them.
type Publisher interface {
	// Publish gives away all of some events, of one instance or several. An error of a
	// part of them is a *queue.PartialError with their indexes; any other is one of all
	// of them. Events that failed are published again later, and others may be too: a
	// subscriber may get an event twice. It may be called from several goroutines at
	// once, and has to return soon after ctx ends.
	Publish(ctx context.Context, events []host.InstanceEvent) error
}

// Bus is where events about instances go.
type Bus struct {
	// To is nil without a subscriber.
	To       Publisher
	Clock    clock.Clock
	Observer host.Observer
}

// Publish gives events to the bus, and waits no longer for it than Time. queue.ErrorOf says
// of its error which events the bus has not taken.
func (b *Bus) Publish(ctx context.Context, events []host.InstanceEvent) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	defer b.Clock.AfterFunc(Time, cancel)()
	err := b.To.Publish(within, events)
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

// PublishLater publishes what waited as an item.
func (b *Bus) PublishLater(ctx context.Context, data json.RawMessage) error {
	var e host.InstanceEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return &UnreadableError{err}
	}
	return b.Publish(ctx, []host.InstanceEvent{e})
}

// UnreadableError says that an item has no event about an instance.
type UnreadableError struct{ Err error }

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("host: event: expected an event about an instance, as it is published: %v", e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// Number is the number of an event about an instance: greater, as text, than the numbers of
// all earlier events. What is written with a mark follows the event that the history ends
// with, by the stamp of the mark.
func Number(execution, event, stamp int64) string {
	return fmt.Sprintf("%010d.%010d.%010d", execution, event, stamp)
}

// EventOf is the event in a number; 0 if it is none.
func EventOf(number string) (event int64) {
	_, rest, _ := strings.Cut(number, ".")
	text, _, _ := strings.Cut(rest, ".")
	event, _ = strconv.ParseInt(text, 10, 64)
	return event
}
