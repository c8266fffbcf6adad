package check

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Limits over instances: an attempt starts with a permit of each limit of its activity, never more attempts run at a time
// than a limit has permits, and a rate never lets through more within a window than it allows.
//
// An attempt counts as running until its code has returned, its process has died, or its time limit has ended, whichever
// is first: then its permit may go to another attempt.
//
// No attempt waits for ever while permits are free, and no permit is lost, because otherwise the run would not end.

// permits is what is known of the limits of a run.
type permits struct {
	// running are the attempts under each limit.
	running map[string][]underLimit
	// passed is when each rate let attempts through.
	passed map[string][]passing
	// free are permits of rates that an invocation has taken, and with which no attempt has started.
	free map[permitOf][]time.Time
	// takers are the processes that own groups, by their tokens, and limits the keys.
	takers map[string]*world.Process
	limits map[string]string
	// stored is the stored state of each limit.
	stored map[string]line
	// shown are messages that were made visible at once, by the step at which that last happened.
	shown map[string]int
	// messages maps messages to their attempts.
	messages map[string]string
	// in is the queue in which the message of an attempt was last hidden or called, by attempt.
	in map[string]string
	// changes are the changes of limits that have taken effect.
	changes map[changeOf]changed
}

// underLimit is an attempt that runs, until its time limit ends.
type underLimit struct {
	p       *world.Process
	attempt making
	until   time.Time
	// key is its activity, looked when it started or last learned whether to stop.
	key    store.ActivityKey
	looked time.Time
}

// looksEach is how long an attempt with a permit may run without checking whether it was asked to stop, if it checks at
// all: the interval of its checks, plus the duration of a call.
const looksEach = 30 * time.Second

// permitOf names the permits of a rate that an invocation takes.
type permitOf struct {
	in  *world.Invocation
	key string
}

// tookRate records a permit of a rate, for a time.
func (w *checker) tookRate(p *world.Process, key string, at time.Time) {
	of := permitOf{p.Running, key}
	note(&w.permits.free, of, append(w.permits.free[of], at))
}

// passing is a permit of a rate, for a time: the number of permits and the window.
type passing struct {
	at   time.Time
	n    int
	span time.Duration
}

// rateChanged checks a change of a rate, and returns its effect.
func (w *checker) rateChanged(p *world.Process, in *world.Invocation, key string, before, after store.Claim) changed {
	c := changed{in: in}
	was, is := w.rateStored(key, before), w.rateStored(key, after)
	if p != nil && (was.Set != is.Set || was.SetPer != is.SetPer) {
		w.Violate("rate", "%s changes rate %q, of which an operator has set %d in %d: it is %d in %d", p.Name, key, was.Set, was.SetPer, is.Set, is.SetPer)
	}
	n, span := rateOf(key)
	if is.Set != 0 {
		w.Reached("rate, set")
		if n = max(is.Set, 0); is.SetPer > 0 {
			span = time.Duration(is.SetPer) * time.Millisecond
		}
	}
	_, had := stored(was.Passed, 0)
	_, has := stored(is.Passed, 0)
	for _, one := range has {
		at, more := one[0]+is.At, int(one[1])
		for _, other := range had {
			if other[0]+was.At == at {
				more -= int(other[1])
			}
		}
		for range more {
			w.Reached("rate")
			c.passed = append(c.passed, time.UnixMilli(at))
			note(&w.permits.passed, key, append(w.permits.passed[key], passing{time.UnixMilli(at), n, span}))
		}
	}
	if len(c.passed) > 0 {
		w.overRate(key)
	}
	return c
}

// rateState is the stored state of a rate.
type rateState struct {
	At     int64
	Set    int
	SetPer int64 `json:"set_per"`
	Passed [][]any
}

func (w *checker) rateStored(key string, c store.Claim) (s rateState) {
	if c.Attempt == 0 {
		return s
	}
	if err := json.Unmarshal([]byte(c.Token), &s); err != nil {
		w.Violate("rate", "the stored state of rate %q cannot be read: %v", key, err)
	}
	return s
}

// overRate looks for a window in which a rate let through more than it allows, by the stored times. While a rate changes,
// a window may have permits by the old and the new rule: as many as the larger number, within the shorter window.
func (w *checker) overRate(key string) {
	all := slices.SortedFunc(slices.Values(w.permits.passed[key]), func(a, b passing) int { return a.at.Compare(b.at) })
	for i, first := range all {
		n, span := first.n, first.span
		for j, p := range all[i:] {
			n, span = max(n, p.n), min(span, p.span)
			apart := p.at.Sub(first.at)
			if j > 0 && apart >= span {
				break
			}
			if j+1 > n {
				w.Violate("rate", "%d attempts are let through the rate %q within %s, it is %d in %s", j+1, key, apart, n, span)
				return
			}
		}
	}
}

// rateOf returns the rate of a key that programs use.
func rateOf(key string) (n int, span time.Duration) {
	if key == "slow" {
		return 2, 30 * time.Second
	}
	return 3, 5 * time.Second
}

// startsUnderLimits checks that an attempt has a permit of each limit that it needs, and that no more attempts run than
// there are permits.
func (w *checker) startsUnderLimits(p *world.Process, key store.ActivityKey, info *activities.Info) {
	r := w.policyOf(key)
	if r == nil || p.Dead {
		return
	}
	if r.Rate > 0 {
		w.startsUnderRate(p, r.RateKey, key, info)
	}
	if r.Limit == 0 {
		return
	}
	w.Reached("limit")
	held, runs := 0, 1
	for _, g := range w.permits.stored[r.LimitKey].groups {
		if w.permits.takers[g.token] == p {
			held += g.have
		}
	}
	for _, u := range w.permits.running[r.LimitKey] {
		if u.p == p && u.until.After(w.Clock.Now()) {
			runs++
		}
	}
	if runs > held {
		w.Violate("limit", "%s starts attempt %d of activity %d of %s/%d, which has the limit %q, as the %dth of its attempts, and has %d permits",
			p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, r.LimitKey, runs, held)
	}
	now := w.Clock.Now()
	run := slices.DeleteFunc(w.permits.running[r.LimitKey], func(u underLimit) bool { return u.p.Dead || !u.until.After(now) })
	if len(run) >= r.Limit {
		var names []string
		for _, u := range run {
			names = append(names, u.p.Name)
		}
		w.Violate("limit", "%s starts attempt %d of activity %d of %s/%d under the limit %q, of which %d may run, concurrently with those of %s", p.Name, info.Number,
			key.EventID, key.Instance, key.ExecutionID, r.LimitKey, r.Limit, strings.Join(names, ", "))
	}
	until := now.Add(max(w.Settings.Attempt.Timeout, 5*time.Minute))
	if end := p.Running.Deadline; end.Before(until) {
		until = end
	}
	note(&w.permits.running, r.LimitKey, append(run, underLimit{p, making{info.CompletionToken, info.Number}, until, key, now}))
}

// startsUnderRate checks that an attempt starts with a permit of a rate, and not before the time of that permit.
func (w *checker) startsUnderRate(p *world.Process, rate string, key store.ActivityKey, info *activities.Info) {
	of := permitOf{p.Running, rate}
	free := w.permits.free[of]
	if len(free) == 0 {
		w.Violate("rate", "%s starts attempt %d of activity %d of %s/%d, which has the rate %q, without a permit", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, rate)
		return
	}
	// Stored times are rounded up.
	_, span := rateOf(rate)
	early := free[0].Sub(w.Clock.Now()) - max(span, time.Minute)/50 - time.Millisecond
	if w.Faults[fault.Skew] > 0 {
		early -= mostApart
	}
	if early > 0 {
		w.Violate("rate", "%s starts attempt %d of activity %d of %s/%d %s before the time of its permit of the rate %q", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, early, rate)
	}
	w.permits.free[of] = free[1:]
}

// notifiedUnderLimits records that an attempt has learned whether to stop.
func (w *checker) notifiedUnderLimits(p *world.Process, key store.ActivityKey) {
	for _, run := range w.permits.running {
		for i := range run {
			if u := &run[i]; u.p == p && u.key == key {
				w.Reached("limit, looked")
				u.looked = w.Clock.Now()
			}
		}
	}
}

// endsUnderLimits records that an attempt has returned.
func (w *checker) endsUnderLimits(p *world.Process, info *activities.Info) {
	made := making{info.CompletionToken, info.Number}
	for key, run := range w.permits.running {
		for _, u := range run {
			if late := w.Clock.Now().Sub(u.looked); u.p == p && u.attempt == made && late > looksEach && !p.Dead && !p.Running.StopsFailed && !p.Running.SlowCall {
				w.Violate("limit", "attempt %d of activity %d of %s/%d has a permit of %q, but has not checked for %s whether it must stop",
					info.Number, u.key.EventID, u.key.Instance, u.key.ExecutionID, key, late)
			}
		}
		w.permits.running[key] = slices.DeleteFunc(run, func(u underLimit) bool { return u.p == p && u.attempt == made })
	}
}
