package client

import (
	"errors"
	"maps"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// StartOption is an option of [Start]: [WithInstanceID], [WithVersion], [WithDeduplicationID],
// [WithSearchAttributes], [WithHeaders], [UseExisting], [AllowRestart], [WithEvent], [StartAfter], [StartAt].
type StartOption interface {
	applyToStart(*StartRequest)
}

type startOption func(*StartRequest)

func (f startOption) applyToStart(r *StartRequest) { f(r) }

// WithInstanceID sets the instance id: 1 to 512 bytes of UTF-8 without control characters. An id of up
// to 128 ASCII letters, digits and punctuation is also used as the message group on SQS, so you can
// recognize it in the SQS console. Without this option the id is derived from the id of
// [WithDeduplicationID], or random.
func WithInstanceID(id string) StartOption {
	return startOption(func(r *StartRequest) { r.Instance = id })
}

// WithVersion selects a version of the orchestration; without it, the newest deployed version runs.
// See [turnstile.Version].
func WithVersion(version string) StartOption {
	return startOption(func(r *StartRequest) { r.Version = version })
}

// UseExisting returns the instance that already has the id, if it is of the same orchestration, whatever its
// version and input, instead of an [*AlreadyExistsError]. Events of the start ([WithEvent]) are raised for
// it, each once. So one call can send an event and make sure that an instance exists to receive it. If the
// instance has ended and there are events for it, the call sends nothing and returns an [*EndedError].
func UseExisting() StartOption {
	return startOption(func(r *StartRequest) { r.UseExisting = true })
}

// AllowRestart starts the next execution of the instance that already has the id, if it has ended and
// was of the same orchestration, whatever its version and input. The execution starts from the
// beginning with the input of this start, so business ids can be reused without a purge. Earlier
// histories are kept and are purged together with the instance. While the instance runs, the start
// returns an [*AlreadyExistsError], unless [UseExisting] is given too. Repeating a start has no effect
// if it is among the last 32 starts of the instance.
func AllowRestart() StartOption {
	return startOption(func(r *StartRequest) { r.AllowRestart = true })
}

// StartAfter delays the code of the instance until d after the call, on the client's clock; if d is
// 0 or less, the code starts immediately. See StartRequest.NotBefore.
func StartAfter(d time.Duration) StartOption {
	return startOption(func(r *StartRequest) { r.after, r.NotBefore = d, time.Time{} })
}

// StartAt starts the code of the instance at time t; a time in the past starts it immediately. See
// StartRequest.NotBefore. If t is more than 15 minutes away (the parameter TimerBorder), the start may
// be up to a minute late, like a timer.
func StartAt(t time.Time) StartOption {
	return startOption(func(r *StartRequest) { r.after, r.NotBefore = 0, t })
}

// WithHeaders sets headers, which are passed with the start to the orchestration, its activities and
// its children; see StartRequest.Headers for the limits.
func WithHeaders(headers map[string]string) StartOption {
	return startOption(func(r *StartRequest) { r.Headers = headers })
}

// WithSearchAttributes sets search attributes when the instance starts; see
// [turnstile.SearchAttributes]. Several such options are merged; for the same name the last one
// applies.
func WithSearchAttributes(attributes turnstile.SearchAttributes) StartOption {
	return startOption(func(r *StartRequest) {
		all := maps.Clone(r.SearchAttributes)
		if all == nil {
			all = turnstile.SearchAttributes{}
		}
		maps.Copy(all, attributes)
		r.SearchAttributes = all
	})
}

// WithUpdate sends an update with the start: one call starts the instance if needed and updates it. The
// id identifies the update, as [WithDeduplicationID] does; wait for its answer with [AttachUpdate]. With
// [UseExisting], an instance that already exists gets the update.
//
//	run, err := client.Start(ctx, c, Basket, customer, client.WithInstanceID("basket-7"), client.UseExisting(),
//		client.WithUpdate(AddItem, requestID, item))
//	total, err := client.AttachUpdate(c, AddItem, run.Instance, requestID).Wait(ctx)
func WithUpdate[In, Out any](u turnstile.Update[In, Out], id string, in In) StartOption {
	input, err := encode(in, "input of update", u.Name())
	if err == nil && id == "" {
		err = &turnstile.InvalidArgumentError{Argument: "id of update", Problem: "it is empty; the id is needed to wait for the answer"}
	}
	return startOption(func(r *StartRequest) {
		r.Events = append(r.Events, wire.StartEvent{ID: id, Name: history.UpdatePrefix + u.Name(), Data: input})
		r.err = errors.Join(r.err, err)
	})
}

// WithEvent delivers an event with the start: the event is in the history before the first turn.
// Several are delivered in the order of the options. With [UseExisting], an instance that already
// exists also gets the event.
func WithEvent[T any](e turnstile.Event[T], data T) StartOption {
	payload, err := encode(data, "data of event", e.Name())
	return startOption(func(r *StartRequest) {
		r.Events = append(r.Events, wire.StartEvent{Name: e.Name(), Data: payload})
		r.err = errors.Join(r.err, err)
	})
}
