package turnstile

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/names"
)

// Limit lets at most n attempts of an activity with this key, or n instances of an orchestration
// with this key, run at a time. n is from 1 to [MaxLimit]. The key is 1 to 256 bytes of UTF-8
// without control characters. Keys of activities and keys of orchestrations are separate.
//
// For an activity, the limit applies across all instances, activities and processes that use the
// key:
//
//	var Charge = turnstile.NewActivity[Order, Receipt]("Charge").
//		With(turnstile.Limit("stripe", 20), turnstile.AttemptTimeout(30*time.Second))
//
// An attempt takes a permit before its code starts, and releases the permit when the code returns.
// If no permit is free, the attempt waits. Waiting counts toward the [TotalTimeout], but not toward
// the [AttemptTimeout] or the attempts of the retry policy. Waiting attempts are served roughly in
// order, as soon as a permit is free. If a worker dies, its permit becomes free one minute after
// the attempt's timeout (AttemptTimeout, five minutes by default).
//
// For a limit per input, give the option at the call, with a part of the input in the key:
//
//	Charge.With(turnstile.Limit("customer "+order.Customer, 1)).Call(ctx, order)
//
// The option works for Call and Start; with Inline it is a [*MisuseError] that makes the instance
// stuck.
//
// An instance of an orchestration waits before its code starts, with the status queued, until fewer
// than n instances of any orchestration run with this key. Instances start in the order in which
// they requested a permit. An instance keeps its permit until it ends, even while it is suspended
// or stuck, and across ContinueAsNew. A redriven instance waits again. The limit of an
// implementation applies to every start, unless the declaration that is used for the start has a
// different key:
//
//	Import.With(turnstile.Limit("import "+order.Customer, 2)).StartDetached(ctx, order)
//
// The coordinator of a key grants its permits. It is the instance "limit:KEY" of the orchestration
// turnstile.limit, which every App has. At most 1,000 instances can wait for it; if another one
// starts, it is terminated with a reason that says so.
//
// An invalid key or n is an error of [App.Err] and of the call. Two activities, or two
// orchestrations, of one App that declare different limits for a key are such an error too.
func Limit(key string, n int) Option { return limit{key, n} }

type limit struct {
	key string
	n   int
}

func (l limit) applyToActivity(o *activityOptions) {
	o.LimitKey, o.Retry.Limit = l.key, l.n
	o.problems = append(o.problems, limitProblems("Limit", l.key, l.n)...)
}

func (l limit) applyToOrchestration(o *orchestrationOptions) {
	o.limitKey, o.limit = l.key, l.n
	o.problems = append(o.problems, limitProblems("Limit", l.key, l.n)...)
}

// Rate lets at most n attempts with this key start within any window of the length per, across all
// instances, activities and processes. n is from 1 to [MaxLimit], per from a millisecond to
// [MaxTimer]. A burst of n attempts may start at once. Each retry counts as an attempt. Otherwise
// Rate works as [Limit] does. An activity can have both, and their keys are separate.
func Rate(key string, n int, per time.Duration) ActivityOption { return rate{key, n, per} }

type rate struct {
	key string
	n   int
	per time.Duration
}

func (r rate) applyToActivity(o *activityOptions) {
	o.RateKey, o.Retry.Rate, o.RateMS = r.key, r.n, milliseconds(r.per)
	o.problems = append(o.problems, limitProblems("Rate", r.key, r.n)...)
	if r.per <= 0 || r.per > MaxTimer {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "Rate", Argument: "per",
			Problem: fmt.Sprintf("is %s; it must be more than 0 and at most %s (MaxTimer)", r.per, MaxTimer)})
	}
}

// limitProblems returns the problems of a key and its number.
func limitProblems(call, key string, n int) []error {
	var all []error
	wrong := func(argument, problem string) {
		if problem != "" {
			all = append(all, &InvalidArgumentError{Call: call, Argument: argument, Problem: problem})
		}
	}
	wrong("key", names.LimitKey(key))
	wrong("n", names.Limit(n))
	return all
}

// limits are the limits that the activities and orchestrations of an App declare, by kind and key.
type limits map[limitName]declaredLimit

type limitName struct {
	call, key string
	// instances is true for a limit of instances. Its keys are separate from those of activities.
	instances bool
}

type declaredLimit struct {
	n     int
	perMS int64
	// by is the declaring activity or orchestration, and where it is registered.
	by string
}

func (l declaredLimit) String() string {
	if l.perMS == 0 {
		return fmt.Sprint(l.n)
	}
	return fmt.Sprintf("%d in %s", l.n, time.Duration(l.perMS)*time.Millisecond)
}

// add records the limits of an activity. It returns an error for each limit that another activity
// declares differently.
func (l *limits) add(policy *history.Retry, activity, source string) error {
	if policy == nil {
		return nil
	}
	by := fmt.Sprintf("activity %q (registered at %s)", activity, source)
	return errors.Join(
		l.one(limitName{call: "Limit", key: policy.LimitKey}, declaredLimit{policy.Limit, 0, by}),
		l.one(limitName{call: "Rate", key: policy.RateKey}, declaredLimit{policy.Rate, policy.RateMS, by}))
}

// addInstances does the same for an orchestration's limit of instances.
func (l *limits) addInstances(key string, n int, orchestration, source string) error {
	return l.one(limitName{"Limit", key, true}, declaredLimit{n, 0, fmt.Sprintf("orchestration %q (registered at %s)", orchestration, source)})
}

func (l *limits) one(name limitName, d declaredLimit) error {
	if d.n == 0 || name.key == "" {
		return nil
	}
	if *l == nil {
		*l = limits{}
	}
	other, known := (*l)[name]
	if !known {
		(*l)[name] = d
		return nil
	}
	if other.n == d.n && other.perMS == d.perMS {
		return nil
	}
	return &InvalidArgumentError{Call: name.call, Argument: "n",
		Problem: fmt.Sprintf("is %s for the key %q, but %s declares %s: give the key the same limit everywhere", d, name.key, other.by, other)}
}
