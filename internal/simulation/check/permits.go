package check

import (
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Limits over instances: an attempt begins with a permit of each limit that its activity
// has, never more attempts run at a time than a limit has permits, and never more are
// let through within a span than a rate has.
//
// An attempt counts as running until its code has returned, its process has died, or its
// time is over, whichever is first: then the permit may be another's.
//
// Nobody waits for ever while permits are free, and no permit is lost, because otherwise the run
// would not come to its end.

// permits are what is known of the limits of a run.
type permits struct {
	// running are the attempts under each limit.
	running map[string][]underLimit
	// passed is when attempts were let through each rate.
	passed map[string][]passing
	// rules are the rates that operators have set; none for keys of which they have not.
	rules map[string][]rule
	// taken are permits that an invocation has taken and no attempt has begun with.
	taken map[permitOf]int
	// takers are the invocations that have taken permits, by the permit's token.
	takers map[string]*world.Invocation
	// shown are messages that were made visible at once, by the step at which they were last.
	shown map[string]int
	// messages are the attempts that messages are of.
	messages map[string]string
	// in is the queue in which the message of an attempt was hidden or called last, by the attempt.
	in map[string]string
	// changes are the changes of limits that have taken effect.
	changes map[changeOf]changed
}

// underLimit is an attempt that runs, until its time is over.
type underLimit struct {
	p       *world.Process
	attempt making
	until   time.Time
	// key is its activity, looked when it began, or was told last whether it is to stop.
	key    store.ActivityKey
	looked time.Time
}

// looksEach is how long an attempt with a permit may run without looking whether it is to stop,
// where it is told: the interval of its looks, and what a call takes.
const looksEach = 30 * time.Second

// permitOf names the permits of a limit, "limit" or "rate", that an invocation takes.
type permitOf struct {
	in        *world.Invocation
	kind, key string
}

func (w *checker) tookPermit(p *world.Process, kind, key string) {
	of := permitOf{p.Running, kind, key}
	note(&w.permits.taken, of, w.permits.taken[of]+1)
}

// rule is a rate, from a time on.
type rule struct {
	from time.Time
	n    int
	span time.Duration
}

// passing is one who was let through a rate: the most that any rule lets through by which its
// process may have gone, and the shortest span.
type passing struct {
	at   time.Time
	n    int
	span time.Duration
}

// rateKnown is how long a process goes by what it has read of a rate; with what a call takes.
const rateKnown = 30*time.Second + 10*time.Second

// RateSet implements world.Watcher.
func (w *checker) RateSet(key string, n int, span time.Duration) {
	declared, per := rateOf(key)
	switch {
	case n == 0:
		n, span = declared, per
	case span == 0:
		span = per
	}
	note(&w.permits.rules, key, append(w.rulesOf(key), rule{w.Clock.Now(), max(n, 0), span}))
}

// rulesOf are the rates of a key so far.
func (w *checker) rulesOf(key string) []rule {
	if all := w.permits.rules[key]; len(all) > 0 {
		return all
	}
	n, span := rateOf(key)
	return []rule{{n: n, span: span}}
}

// PassedRate implements world.Watcher.
func (w *checker) PassedRate(p *world.Process, key string, asked time.Time) {
	if p.Dead {
		return
	}
	w.tookPermit(p, "rate", key)
	w.Reached("rate")
	known := asked.Add(-rateKnown)
	if p.Running.Slowed {
		// It may have stood still since it has read what was set.
		known = p.Running.Deadline.Add(-invocationTime - rateKnown)
	}
	all := w.rulesOf(key)
	passed := passing{at: asked, span: all[len(all)-1].span}
	for i, r := range all {
		if i+1 < len(all) && !all[i+1].from.After(known) {
			continue // Another has taken its place, and the process has read that.
		}
		passed.n, passed.span = max(passed.n, r.n), min(passed.span, r.span)
	}
	if len(all) > 1 && all[len(all)-1].from.Before(known) {
		w.Reached("rate, set")
	}
	if w.Faults[fault.Skew] > 0 {
		passed.span -= mostApart
	}
	note(&w.permits.passed, key, append(w.permits.passed[key], passed))
	w.overRate(key)
}

// invocationTime is how long an invocation of a worker may take.
const invocationTime = 15 * time.Minute

// overRate looks for a span in which more were let through than a rate allows. While a rate changes,
// some go by the rule before and some by the next: a permit is taken by one of them within the
// shorter span, and there are as many permits as the larger number.
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

// rateOf is the rate of a key that programs have.
func rateOf(key string) (n int, span time.Duration) {
	if key == "slow" {
		return 2, 30 * time.Second
	}
	return 3, 5 * time.Second
}

// beginsUnderLimits checks that an attempt has a permit of each limit that it needs, and that not
// more run than there are.
func (w *checker) beginsUnderLimits(p *world.Process, key store.ActivityKey, info *activities.Info) {
	r := w.policyOf(key)
	if r == nil || p.Dead {
		return
	}
	has := func(kind, limit string) {
		of := permitOf{p.Running, kind, limit}
		if w.permits.taken[of]--; w.permits.taken[of] < 0 {
			w.Violate(kind, "%s begins attempt %d of activity %d of %s/%d, which has the %s %q, without a permit", p.Name, info.Attempt, key.EventID, key.Instance, key.ExecutionID, kind, limit)
		}
	}
	if r.Rate > 0 {
		has("rate", r.RateKey)
	}
	if r.Limit == 0 {
		return
	}
	w.Reached("limit")
	has("limit", r.LimitKey)
	now := w.Clock.Now()
	run := slices.DeleteFunc(w.permits.running[r.LimitKey], func(u underLimit) bool { return u.p.Dead || !u.until.After(now) })
	if len(run) >= r.Limit {
		var names []string
		for _, u := range run {
			names = append(names, u.p.Name)
		}
		w.Violate("limit", "%s begins attempt %d of activity %d of %s/%d under the limit %q, of which %d may run, beside those of %s", p.Name, info.Attempt,
			key.EventID, key.Instance, key.ExecutionID, r.LimitKey, r.Limit, strings.Join(names, ", "))
	}
	until := now.Add(max(w.Settings.Attempt.Timeout, 5*time.Minute))
	if end := p.Running.Deadline; end.Before(until) {
		until = end
	}
	note(&w.permits.running, r.LimitKey, append(run, underLimit{p, making{info.CompletionToken, info.Attempt}, until, key, now}))
}

// toldUnderLimits notes that an attempt was told whether it is to stop.
func (w *checker) toldUnderLimits(p *world.Process, key store.ActivityKey) {
	for _, run := range w.permits.running {
		for i := range run {
			if u := &run[i]; u.p == p && u.key == key {
				w.Reached("limit, looked")
				u.looked = w.Clock.Now()
			}
		}
	}
}

// endsUnderLimits notes that an attempt has returned.
func (w *checker) endsUnderLimits(p *world.Process, info *activities.Info) {
	made := making{info.CompletionToken, info.Attempt}
	for key, run := range w.permits.running {
		for _, u := range run {
			if late := w.Clock.Now().Sub(u.looked); u.p == p && u.attempt == made && late > looksEach && !p.Dead && !p.Running.StopsFailed && !p.Running.SlowCall {
				w.Violate("limit", "attempt %d of activity %d of %s/%d has a permit of %q, and has not looked for %s whether it is to stop",
					info.Attempt, u.key.EventID, u.key.Instance, u.key.ExecutionID, key, late)
			}
		}
		w.permits.running[key] = slices.DeleteFunc(run, func(u underLimit) bool { return u.p == p && u.attempt == made })
	}
}
