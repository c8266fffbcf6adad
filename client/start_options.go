package client

import (
	"errors"
	"maps"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// StartOption is an option of [Start]: [WithInstanceID], [WithVersion], [WithDeduplicationID],
// [WithSearchAttributes], [WithHeaders], [UseExisting], [BeginAgain], [WithEvent], [BeginAfter], [BeginAt].
type StartOption interface {
	applyToStart(*StartRequest)
}

type startOption func(*StartRequest)

func (f startOption) applyToStart(r *StartRequest) { f(r) }

// WithInstanceID chooses the instance id: 1 to 512 bytes of UTF-8 without control
// characters. Ids of up to 128 ASCII letters, digits and punctuation are also
// their own message group on SQS, which reads well in its console. Without it
// the id is random, or derives from the id of [WithDeduplicationID].
func WithInstanceID(id string) StartOption {
	return startOption(func(r *StartRequest) { r.Instance = id })
}

// WithVersion asks for a version of the orchestration; without it the newest that
// is deployed runs. See [turnstile.Version].
func WithVersion(version string) StartOption {
	return startOption(func(r *StartRequest) { r.Version = version })
}

// UseExisting returns the instance that has the id already, if it is one of the
// same orchestration, whatever its version and input, in place of an
// [*AlreadyExistsError]. Events of the start ([WithEvent]) are raised for it, each
// once, so that one call sends an event and makes sure that there is an instance to
// take it. [*EndedError], and nothing sent, if the instance has ended and there are
// events for it.
func UseExisting() StartOption {
	return startOption(func(r *StartRequest) { r.UseExisting = true })
}

// BeginAgain begins the next execution of the instance that has the id already, if it
// has ended and was one of the same orchestration, whatever its version and input: from
// the beginning, with the input of this start. So ids of business things can be used
// again without a purge. The histories before stay, and are purged together with it.
// [*AlreadyExistsError] while the instance runs, unless there is [UseExisting] too. A
// repeat of a start by which the instance has begun before begins nothing; the last 32
// starts are known.
func BeginAgain() StartOption {
	return startOption(func(r *StartRequest) { r.BeginAgain = true })
}

// BeginAfter has the code begin so long after the call, by the client's clock; 0 or less for at
// once. See StartRequest.NotBefore.
func BeginAfter(d time.Duration) StartOption {
	return startOption(func(r *StartRequest) { r.after, r.NotBefore = d, time.Time{} })
}

// BeginAt has the code begin at a time; one in the past is at once. See StartRequest.NotBefore.
// A time that is more than 15 minutes ahead (the parameter TimerBorder) may be met a minute late, as timers are.
func BeginAt(t time.Time) StartOption {
	return startOption(func(r *StartRequest) { r.after, r.NotBefore = 0, t })
}

// WithHeaders gives headers, which go with the start to the orchestration, its activities and its children;
// see StartRequest.Headers for their limits.
func WithHeaders(headers map[string]string) StartOption {
	return startOption(func(r *StartRequest) { r.Headers = headers })
}

// WithSearchAttributes gives search attributes, which are set from the start on; see [turnstile.SearchAttributes].
// Of several such options the attributes are put together; of
// one name the last counts.
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

// WithEvent gives a start this event to begin with: it stands in the history
// before the first turn. Several come in the order of the options. With
// [UseExisting], an instance that is there already gets the event too.
func WithEvent[T any](e turnstile.Event[T], data T) StartOption {
	payload, err := encode(data, "data of event", e.Name())
	return startOption(func(r *StartRequest) {
		r.Events = append(r.Events, wire.StartEvent{Name: e.Name(), Data: payload})
		r.err = errors.Join(r.err, err)
	})
}
