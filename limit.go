package turnstile

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/names"
)

// Limit lets at most n attempts of an activity, or n instances of an orchestration, with this
// key run at a time. Of an activity it counts over all instances, activities and processes: 1 to [MaxLimit]. The key is 1 to 256 bytes of UTF-8
// without control characters.
//
//	var Charge = turnstile.NewActivity[Order, Receipt]("Charge").
//		With(turnstile.Limit("stripe", 20), turnstile.AttemptTimeout(30*time.Second))
//
// An attempt takes a permit before its code begins, and gives it back after its
// result was sent. Without a free permit it waits; that is no attempt for the retry
// policy and no part of the [AttemptTimeout], and it counts for the [TotalTimeout].
// The first 32 that wait are served in order, as soon as a permit is free; others ask again,
// after 1 second at first and at most 20. A worker that dies leaves its permit taken
// until the attempt's time is over (AttemptTimeout, five minutes by default).
//
// For a limit by input, give the option at the call, with the input in the key:
//
//	Charge.With(turnstile.Limit("customer "+order.Customer, 1)).Call(ctx, order)
//
// A value that is not valid is an error of [App.Err] and of the call, as is a key that two
// activities, or two orchestrations, of an App limit to different numbers. It is for Call and Start: Inline is
// a [*MisuseError] that parks the instance.
//
// An instance of an orchestration waits before its code begins, with the status queued, until
// fewer than n of all instances with this key run, whatever orchestrations they are of. They
// begin first come, first served, and keep their place until they end, also while they are
// suspended or stuck, and over ContinueAsNew. One that is redriven waits anew. The limit of an
// implementation holds for every start, unless the declaration that the start is made with has another key:
//
//	Import.With(turnstile.Limit("import "+order.Customer, 2)).StartDetached(ctx, order)
//
// Instances of a key have a gate, the instance "limit:KEY" of the orchestration
// turnstile.limit, which every App has. At most 1,000 wait at it; who starts then is
// terminated, with this reason. Keys of activities and of orchestrations are apart.
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

// Rate lets at most n attempts with this key begin within any span of this length,
// over all instances, activities and processes: n from 1 to [MaxLimit], a span from a
// millisecond to [MaxTimer]. A burst of n may begin at once. Retries count, each as
// an attempt of its own. Otherwise it works as [Limit], and an activity can have both;
// their keys are apart.
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
			Problem: fmt.Sprintf("is %s, it must be more than 0 and at most %s (MaxTimer)", r.per, MaxTimer)})
	}
}

// limitProblems returns what cannot be about a key and its number.
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

// limits are those that the activities and orchestrations of an App declare, by kind and key.
type limits map[limitName]declaredLimit

type limitName struct {
	call, key string
	// instances: it is one of instances, whose keys are apart from those of activities.
	instances bool
}

type declaredLimit struct {
	n     int
	perMS int64
	// by is what declares it, and where.
	by string
}

func (l declaredLimit) String() string {
	if l.perMS == 0 {
		return fmt.Sprint(l.n)
	}
	return fmt.Sprintf("%d in %s", l.n, time.Duration(l.perMS)*time.Millisecond)
}

// add notes the limits of an activity, and returns an error for each that another
// activity declares otherwise.
func (l *limits) add(policy *history.Retry, activity, source string) error {
	if policy == nil {
		return nil
	}
	by := fmt.Sprintf("activity %q (registered at %s)", activity, source)
	return errors.Join(
		l.one(limitName{call: "Limit", key: policy.LimitKey}, declaredLimit{policy.Limit, 0, by}),
		l.one(limitName{call: "Rate", key: policy.RateKey}, declaredLimit{policy.Rate, policy.RateMS, by}))
}

// addInstances is add for the limit of the instances of an orchestration.
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
		Problem: fmt.Sprintf("is %s for the key %q, and %s has %s for it: a key has one limit", d, name.key, other.by, other)}
}
