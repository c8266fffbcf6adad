package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// What is stored of a limit over instances: nobody takes a permit that is another's, nor one for
// which another stands before it in the line; nobody leaves the line but by taking a permit, by
// ending, or by not asking for long; the first in the line are called as soon as permits are free
// for them; and an attempt that has taken a permit gives it back.

// silentAfter is after how long an attempt that does not ask has left the line.
const silentAfter = 10 * time.Minute

// line is what is stored of a limit: permits and those who wait.
type line struct {
	held    []held
	waiting []waiting
	// set is the number that an operator has set, -1 for none that may begin; 0 for nothing.
	set int
}

type held struct {
	who, token string
	until      int64
}

type waiting struct {
	who          string
	seen, called int64
}

// lineOf reads what is stored of a limit. It shares no code with who writes it.
func (w *checker) lineOf(key string, c store.Claim) (l line) {
	if c.Attempt == 0 {
		return l
	}
	var stored struct {
		Held, Line [][]any
		Set        int
	}
	if err := json.Unmarshal([]byte(c.Token), &stored); err != nil {
		w.Violate("limit", "what is stored of limit %q can't be read: %v", key, err)
		return l
	}
	l.set = stored.Set
	number := func(v any) int64 { f, _ := v.(float64); return int64(f) }
	for _, h := range stored.Held {
		l.held = append(l.held, held{fmt.Sprint(h[0]), fmt.Sprint(h[1]), number(h[3])})
	}
	for _, h := range stored.Line {
		l.waiting = append(l.waiting, waiting{fmt.Sprint(h[0]), number(h[2]), number(h[3])})
	}
	return l
}

// permitsOf is how many permits a limit has that programs have.
func permitsOf(key string) int {
	if key == "two" {
		return 2
	}
	return 1
}

// ChangesLimit implements world.Watcher: what a process has to give back it tries to.
func (w *checker) ChangesLimit(p *world.Process, key string, after store.Claim) {
	if p.Dead || p.Running == nil {
		return
	}
	n := w.of(p.Running)
	if len(n.toGive) == 0 {
		return
	}
	is := w.lineOf(key, after)
	for token := range n.toGive {
		if !slices.ContainsFunc(is.held, func(h held) bool { return h.token == token }) {
			delete(n.toGive, token)
		}
	}
}

// LimitChanged implements world.Watcher.
func (w *checker) LimitChanged(p *world.Process, in *world.Invocation, key string, before, after store.Claim, asked time.Time) {
	was, is := w.lineOf(key, before), w.lineOf(key, after)
	n := permitsOf(key)
	skewed := int64(0)
	if w.Faults[fault.Skew] > 0 {
		skewed = mostApart.Milliseconds()
	}
	violate := func(format string, args ...any) {
		who := "an operator"
		if p != nil {
			who = p.Name
		}
		w.Violate("limit", "%s changes limit %q of %d from %s to %s: %s", who, key, n, before.Token, after.Token, fmt.Sprintf(format, args...))
	}
	if len(is.held) > n {
		violate("more hold it")
	}
	for _, h := range was.held {
		stays := slices.ContainsFunc(is.held, func(o held) bool { return o.token == h.token })
		if !stays && w.permits.takers[h.token] != in && h.until > asked.UnixMilli()+skewed {
			violate("the permit of %s is not over", h.who)
		}
		if taker := w.permits.takers[h.token]; !stays && taker != nil {
			delete(w.of(taker).toGive, h.token)
		}
	}
	takers := map[string]bool{}
	for _, h := range is.held {
		if !slices.ContainsFunc(was.held, func(o held) bool { return o.token == h.token }) {
			takers[h.who] = true
		}
	}
	w.noteChange(in, key, after, was, is)
	if p == nil {
		return // Whom the operator's change has room for is called with the next one.
	}
	if is.set != was.set {
		violate("an operator has set %d, which is %d now", was.set, is.set)
	}
	if is.set < 0 {
		w.Reached("limit, closed")
		n = 0
		for taker := range takers {
			violate("%s takes a permit of a limit that is closed", taker)
		}
	}
	w.checkPlaces(was, is, takers, n, asked, skewed, violate)
	for _, o := range was.waiting {
		if slices.ContainsFunc(is.waiting, func(i waiting) bool { return i.who == o.who }) || takers[o.who] {
			continue
		}
		silent := asked.UnixMilli()-o.seen >= silentAfter.Milliseconds()-skewed
		if !silent && !w.hasMessageOf(in, o.who) {
			violate("%s is not in the line any more", o.who)
		}
	}
}

// checkPlaces checks that the line keeps its order, that permits were taken by who may, and that
// those are called for whom permits are free. Several attempts may share one change.
func (w *checker) checkPlaces(was, is line, takers map[string]bool, n int, asked time.Time, skewed int64, violate func(string, ...any)) {
	silent := func(o waiting) bool { return asked.UnixMilli()-o.seen >= silentAfter.Milliseconds()-skewed }
	at, newer := -1, ""
	for _, o := range is.waiting {
		j := slices.IndexFunc(was.waiting, func(b waiting) bool { return b.who == o.who })
		if j >= 0 && (newer != "" || j < at) && silent(was.waiting[j]) && was.waiting[j].seen != o.seen {
			j = -1 // It has not asked for long, by the clock of who writes, and comes as a new one.
		}
		if takers[o.who] {
			j = -1 // It has had its turn, and another delivery of it has asked behind it.
		}
		switch {
		case j < 0:
			newer = o.who
		case newer != "":
			violate("%s comes before others in the line", newer)
		case j < at:
			violate("%s comes before others in the line", o.who)
		}
		at = max(at, j)
	}
	// By its clock a process may have seen others as not coming any more.
	comes := func(o waiting) bool {
		return (o.called == 0 || o.called > asked.UnixMilli()+skewed) && o.seen > asked.UnixMilli()-silentAfter.Milliseconds()+skewed
	}
	left := n - len(is.held)
	for taker := range takers {
		w.Reached("limit, taken")
		ahead := 0
		for _, o := range was.waiting {
			if o.who == taker {
				w.Reached("limit, in its turn")
				break
			}
			if comes(o) && slices.ContainsFunc(is.waiting, func(i waiting) bool { return i.who == o.who }) {
				ahead++
			}
		}
		if ahead > left {
			violate("%d stand in the line before %s, and %d are left for them", ahead, taker, left)
		}
	}
	free := n - len(is.held)
	for _, o := range is.waiting {
		if free <= 0 {
			return
		}
		if o.called == 0 {
			violate("%s waits, is not called, and %d are free for it", o.who, free)
		}
		if o.called > asked.UnixMilli()-skewed {
			free--
		}
	}
}

// changeOf names a change of a limit by the number that the stored item has then.
type changeOf struct {
	key    string
	number int
	stored string
}

// changed is what a change of a limit has brought about: the permit that its process has
// taken, and those who were called.
type changed struct {
	in             *world.Invocation
	tokens, called []string
}

// noteChange notes what a change has brought about. One that takes effect twice has
// brought about nothing more.
func (w *checker) noteChange(in *world.Invocation, key string, after store.Claim, was, is line) {
	at := changeOf{key, after.Attempt, after.Token}
	if _, known := w.permits.changes[at]; known {
		return
	}
	c := changed{in: in}
	for _, h := range is.held {
		if !slices.ContainsFunc(was.held, func(o held) bool { return o.token == h.token }) {
			c.tokens = append(c.tokens, h.token)
			note(&w.permits.takers, h.token, in)
		}
	}
	for _, o := range is.waiting {
		if o.called > 0 && !slices.ContainsFunc(was.waiting, func(b waiting) bool { return b.who == o.who && b.called > 0 }) {
			c.called = append(c.called, o.who)
		}
	}
	note(&w.permits.changes, at, c)
}

// ToldOfLimit implements world.Watcher: what a process has taken it has to give back, and
// whom it has called in the line it has to call.
func (w *checker) ToldOfLimit(p *world.Process, key string, after store.Claim) {
	c := w.permits.changes[changeOf{key, after.Attempt, after.Token}]
	if p.Dead || p.Running == nil || c.in != p.Running {
		return
	}
	n := w.of(p.Running)
	for _, token := range c.tokens {
		w.tookPermit(p, "limit", key)
		note(&n.toGive, token, true)
	}
	for _, who := range c.called {
		if in := w.permits.in[who]; in == "" || p.Knows(in) {
			note(&n.toCall, who, true)
		}
	}
}

// Shows implements world.Watcher.
func (w *checker) Shows(p *world.Process, in *world.Queue, message string) {
	note(&w.permits.shown, message, w.Steps+1)
	if p.Dead || p.Running == nil {
		return
	}
	who := w.permits.messages[message]
	note(&w.permits.in, who, in.Of)
	if w.of(p.Running).toCall[who] {
		w.Reached("limit, called")
		delete(w.of(p.Running).toCall, who)
	}
}

// noteMessages notes of which attempts the messages are that a worker receives.
func (w *checker) noteMessages(batch []world.Delivered) {
	for _, m := range batch {
		if item, err := w.Item(m.Body); err == nil && item.Retry != nil && item.Retry.Limit > 0 {
			note(&w.permits.messages, m.ID, fmt.Sprintf("%d#%d#%d#%s", item.ExecutionID, item.SchedulingEventID, max(item.Attempt, 1), item.Instance))
		}
	}
}

// hasMessageOf reports whether an invocation has a message of the activity.
func (w *checker) hasMessageOf(in *world.Invocation, who string) bool {
	return in != nil && slices.ContainsFunc(in.Batch, func(m world.Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && strings.HasPrefix(who, fmt.Sprintf("%d#%d#", item.ExecutionID, item.SchedulingEventID)) && strings.HasSuffix(who, "#"+item.Instance)
	})
}

// checkLines: an invocation that returns has given back its permits, and has called whom
// it had to call, or tried to.
func (w *checker) checkLines(inv *world.Invocation) {
	n := w.of(inv)
	if inv.StopsFailed {
		return
	}
	if len(n.toGive) > 0 {
		w.Violate("limit", "%s returns and has not given back %d permits", inv.P.Name, len(n.toGive))
	}
	if len(n.toCall) > 0 {
		w.Violate("limit", "%s returns and has not called %s, for whom permits are free", inv.P.Name, strings.Join(slices.Sorted(maps.Keys(n.toCall)), ", "))
	}
}
