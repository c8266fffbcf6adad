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

// Invariants of the stored state of a limit over instances: never more permits are held than there are. No process
// takes another's permit. A free permit goes to the waiting group that has the fewest. No permit stays free while a
// group waits for one, or an attempt is parked and was not called. A parked attempt stays parked until it asks, was
// called, or should have asked. A process returns the permits that it has taken.

// line is the stored state of a limit.
type line struct {
	groups []group
	parked []parked
	// set is the number that an operator has set, -1 if none may start; 0 if none is set.
	set int
}

// group is the share of a process in a limit.
type group struct {
	token        string
	have, want   int
	until, waits int64
}

// parked is an attempt that waits for a call.
type parked struct {
	who           string
	until, called int64
}

// ofRate is the prefix of the key of a rate.
const ofRate = "rate\t"

// stored parses a list in the stored state of a limit, whose fields are numbers except the first.
func stored(list [][]any, at int64, times ...int) (names []string, numbers [][]int64) {
	for _, one := range list {
		var all []int64
		for i, v := range one {
			f, _ := v.(float64)
			n := int64(f)
			if slices.Contains(times, i) && n != 0 {
				n += at
			}
			all = append(all, n)
		}
		names, numbers = append(names, fmt.Sprint(one[0])), append(numbers, all)
	}
	return names, numbers
}

// stateOf parses the stored state of a limit. It shares no code with its writer.
func (w *checker) stateOf(key string, c store.Claim) (l line) {
	if c.Attempt == 0 {
		return l
	}
	var s struct {
		At             int64
		Groups, Parked [][]any
		Set            int
	}
	if err := json.Unmarshal([]byte(c.Token), &s); err != nil {
		w.Violate("limit", "the stored state of limit %q cannot be read: %v", key, err)
		return l
	}
	l.set = s.Set
	tokens, groups := stored(s.Groups, s.At, 3, 5)
	for i, g := range groups {
		l.groups = append(l.groups, group{tokens[i], int(g[1]), int(g[2]), g[3], g[5]})
	}
	names, attempts := stored(s.Parked, s.At, 1, 2)
	for i, p := range attempts {
		l.parked = append(l.parked, parked{names[i], p[1], p[2]})
	}
	return l
}

func (l *line) of(token string) (g group) {
	if i := slices.IndexFunc(l.groups, func(g group) bool { return g.token == token }); i >= 0 {
		return l.groups[i]
	}
	return g
}

func (l *line) held() (n int) {
	for _, g := range l.groups {
		n += g.have
	}
	return n
}

// permitsOf returns the number of permits of a limit that programs use.
func permitsOf(key string) int {
	if key == "two" {
		return 2
	}
	return 1
}

// ChangesLimit implements world.Watcher: a process tries to return the permits that it has to return.
func (w *checker) ChangesLimit(p *world.Process, key string, after store.Claim) {
	if p.Dead || p.Running == nil || strings.HasPrefix(key, ofRate) {
		return
	}
	is := w.stateOf(key, after)
	for token := range w.of(p.Running).toGive {
		if w.permits.limits[token] == key && is.of(token).token == "" {
			delete(w.of(p.Running).toGive, token)
		}
	}
}

// LimitChanged implements world.Watcher.
func (w *checker) LimitChanged(p *world.Process, in *world.Invocation, key string, before, after store.Claim, asked time.Time) {
	at := changeOf{key, after.Attempt, after.Token}
	if _, known := w.permits.changes[at]; known {
		return // It takes effect twice.
	}
	if rate, is := strings.CutPrefix(key, ofRate); is {
		note(&w.permits.changes, at, w.rateChanged(p, in, rate, before, after))
		return
	}
	was, is := w.stateOf(key, before), w.stateOf(key, after)
	c := changed{in: in}
	note(&w.permits.stored, key, is)
	for _, g := range is.groups {
		if w.permits.takers[g.token] == nil && p != nil {
			note(&w.permits.takers, g.token, p)
			note(&w.permits.limits, g.token, key)
		}
		if p != nil && w.permits.takers[g.token] == p {
			c.tokens = append(c.tokens, g.token)
		}
	}
	for _, o := range is.parked {
		if o.called > 0 && !slices.ContainsFunc(was.parked, func(b parked) bool { return b.who == o.who && b.called > 0 }) {
			c.called = append(c.called, o.who)
		}
	}
	note(&w.permits.changes, at, c)
	skewed := int64(0)
	if w.Faults[fault.Skew] > 0 {
		skewed = mostApart.Milliseconds()
	}
	w.checkGroups(limitChange{p, in, key, was, is, asked.UnixMilli(), skewed, func(format string, args ...any) {
		who := "an operator"
		if p != nil {
			who = p.Name
		}
		w.Violate("limit", "%s changes limit %q of %d from %s to %s: %s", who, key, permitsOf(key), before.Token, after.Token, fmt.Sprintf(format, args...))
	}})
}

// limitChange is a change of a limit.
type limitChange struct {
	p       *world.Process
	in      *world.Invocation
	key     string
	was, is line
	// asked is when the change started, and skewed by how much clocks may differ, in milliseconds.
	asked, skewed int64
	violate       func(string, ...any)
}

// checkGroups checks how a change affects permits and the waiting list.
func (w *checker) checkGroups(c limitChange) {
	n := permitsOf(c.key)
	if c.is.held() > n {
		c.violate("%d are held", c.is.held())
	}
	own := func(token string) bool { return c.p != nil && w.permits.takers[token] == c.p }
	for _, g := range c.was.groups {
		if lost := g.have - c.is.of(g.token).have; lost > 0 && !own(g.token) && g.until > c.asked+c.skewed {
			c.violate("%d permits of group %s have not expired", lost, g.token)
		}
		if c.is.of(g.token).token == "" && !own(g.token) && g.want > 0 && g.waits > c.asked+c.skewed {
			c.violate("group %s is no longer in the waiting list", g.token)
		}
	}
	if c.p != nil && c.is.set != c.was.set {
		c.violate("an operator has set %d, which is %d now", c.was.set, c.is.set)
	}
	if c.is.set < 0 {
		w.Reached("limit, closed")
		n = 0
	}
	w.checkGiven(c, n, own)
	w.checkParked(c, n)
}

// checkGiven checks that the waiting list keeps its order, and that free permits were given in that order.
func (w *checker) checkGiven(c limitChange, n int, own func(string) bool) {
	waits := func(g group) bool { return g.want > 0 && g.waits > c.asked+c.skewed }
	last := -1
	for _, g := range c.is.groups {
		i := slices.IndexFunc(c.was.groups, func(o group) bool { return o.token == g.token })
		if i < 0 || own(g.token) {
			continue
		}
		if i < last {
			c.violate("group %s precedes others in the waiting list", g.token)
		}
		last = i
	}
	for i, g := range c.is.groups {
		if g.have <= c.was.of(g.token).have {
			continue
		}
		w.Reached("limit, taken")
		if !own(g.token) {
			w.Reached("limit, given")
		}
		if n == 0 {
			c.violate("group %s takes a permit of a limit that is closed", g.token)
		}
		for j, o := range c.is.groups {
			if waits(o) && (o.have < g.have-1 || o.have == g.have-1 && j < i) {
				c.violate("group %s has %d permits, and %s, which has %d, waits", g.token, g.have, o.token, o.have)
			}
		}
	}
	free := n - c.is.held()
	for _, o := range c.is.parked {
		if o.called > 0 {
			free--
		}
	}
	for _, g := range c.is.groups {
		if free > 0 && waits(g) {
			c.violate("group %s waits, and %d are free", g.token, free)
		}
	}
}

// checkParked checks that attempts stay parked, and that they are called when permits are free for them.
func (w *checker) checkParked(c limitChange, n int) {
	free, last := n-c.is.held(), -1
	for _, o := range c.is.parked {
		if o.called > 0 {
			free--
		}
		// Two messages of one attempt may be parked.
		same := func(b parked) bool { return b.who == o.who }
		if i := slices.IndexFunc(c.was.parked[last+1:], same); i >= 0 {
			last += 1 + i
		} else if slices.ContainsFunc(c.was.parked, same) && !w.hasMessageOf(c.in, o.who) {
			c.violate("%s precedes others that are parked", o.who)
		}
	}
	for _, o := range c.is.parked {
		if c.p != nil && free > 0 && o.called == 0 {
			c.violate("%s is parked and was not called, although %d are free for it", o.who, free)
		}
	}
	for _, o := range c.was.parked {
		stays := slices.ContainsFunc(c.is.parked, func(i parked) bool { return i.who == o.who })
		over := o.until <= c.asked+c.skewed || o.called > 0 && o.called <= c.asked+c.skewed
		if !stays && !over && !w.hasMessageOf(c.in, o.who) && o.called == 0 {
			c.violate("%s is no longer parked", o.who)
		}
	}
}

// changeOf identifies a change of a limit by the resulting number of the stored item.
type changeOf struct {
	key    string
	number int
	stored string
}

// changed is the effect of a change of a limit: the groups of its process, the attempts that were called, and the
// permits of a rate that were taken, by their times.
type changed struct {
	in             *world.Invocation
	tokens, called []string
	passed         []time.Time
}

// NotifiedOfLimit implements world.Watcher: a process must return the permits that it has taken, and must call the
// parked attempts that it has marked as called in the item.
func (w *checker) NotifiedOfLimit(p *world.Process, key string, after store.Claim) {
	c := w.permits.changes[changeOf{key, after.Attempt, after.Token}]
	if p.Dead || p.Running == nil || c.in != p.Running {
		return
	}
	n := w.of(p.Running)
	for _, at := range c.passed {
		w.tookRate(p, strings.TrimPrefix(key, ofRate), at)
	}
	for _, token := range c.tokens {
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

// noteMessages records the attempts of the messages that a worker receives.
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

// checkLines: an invocation that returns has returned its permits and left the waiting list, and has called the
// attempts that it had to call, or tried to.
func (w *checker) checkLines(inv *world.Invocation) {
	n := w.of(inv)
	if inv.StopsFailed {
		return
	}
	maps.DeleteFunc(n.toGive, func(token string, _ bool) bool {
		// Expired entries need not be returned: any other process removes them.
		is := w.permits.stored[w.permits.limits[token]]
		g, now := is.of(token), w.Clock.Now().UnixMilli()
		return g.have > 0 && g.until <= now || g.have == 0 && g.waits <= now
	})
	if len(n.toGive) > 0 {
		w.Violate("limit", "%s returns, and has not returned the permits of %d groups", inv.P.Name, len(n.toGive))
	}
	if len(n.toCall) > 0 {
		w.Violate("limit", "%s returns and has not called %s, for which permits are free", inv.P.Name, strings.Join(slices.Sorted(maps.Keys(n.toCall)), ", "))
	}
}
