package schedule

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/turnstile-go/turnstile/internal/scheduling"
)

// ticks computes the ticks of a definition. Whole ticks have no part of a second.
type ticks struct {
	d    *Definition
	zone *time.Location
	cron cron.Schedule
	// hourly: the field of hours begins with a star, so the cron expression names no hour.
	hourly bool
}

const (
	// lastYear is the last in which a timer fires.
	lastYear = 2199
	// searchedYears is how far ahead a date of a cron expression is searched: 29 February falls on
	// the same day of the week after 40 years at the latest.
	searchedYears = 40
)

// Ticks are computed between firstTick and lastTick. An interval counts in nanoseconds since
// 1970, which reach back to 1677. The last tick leaves room for its jitter.
var (
	firstTick = time.Unix(0, math.MinInt64)
	lastTick  = time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-maxJitter - 1)
)

// ticks returns what computes the ticks. Errors: [*InvalidError].
func (d *Definition) ticks() (*ticks, error) {
	t := &ticks{d: d, zone: time.UTC}
	if d.Cron == "" {
		return t, nil
	}
	zone, err := time.LoadLocation(d.Zone)
	if err != nil || d.Zone == "Local" {
		return nil, &InvalidError{Schedule: d.Name, Field: "zone", Value: d.Zone, Problem: "there is no such time zone; give an IANA name, for example Europe/Berlin", Err: err}
	}
	fields := strings.Fields(d.Cron)
	if len(fields) == 0 || strings.Contains(fields[0], "TZ=") || fields[0] == "@every" {
		return nil, &InvalidError{Schedule: d.Name, Field: "cron", Value: d.Cron, Problem: "give the zone and the interval in the fields of the definition (Zone, Every)"}
	}
	star := func(i int) bool { return i < len(fields) && strings.HasPrefix(fields[i], "*") }
	options := cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor
	// A day field such as */2 restricts the other one, as it does in the cron that most systems have.
	if !star(2) && !star(4) {
		options |= cron.DowOrDom
	}
	parsed, err := cron.NewParser(options).WithMaxSearchYears(searchedYears).Parse(d.Cron)
	if err != nil {
		return nil, &InvalidError{Schedule: d.Name, Field: "cron", Value: d.Cron, Problem: fmt.Sprintf("%v; give five fields: minute, hour, day of month, month, day of week", err), Err: err}
	}
	t.zone, t.cron = zone, parsed
	t.hourly = fields[0] == "@hourly" || star(1)
	return t, nil
}

// after returns the first tick later than a time; zero if there is none.
func (t *ticks) after(at time.Time) time.Time {
	d := t.d
	if !d.Begin.IsZero() && at.Before(d.Begin) {
		at = d.Begin.Add(-1)
	}
	if at.Before(firstTick) {
		at = firstTick
	}
	next := t.unbounded(at)
	if next.After(lastTick) || !d.End.IsZero() && next.After(d.End) {
		return time.Time{}
	}
	return next.UTC()
}

func (t *ticks) unbounded(at time.Time) time.Time {
	if t.cron != nil {
		return t.shown(at)
	}
	every := t.d.Every.Nanoseconds()
	since := at.UnixNano() % every
	if since < 0 {
		since += every
	}
	wait := t.d.Offset.Nanoseconds() - since
	if wait <= 0 {
		wait += every
	}
	return at.Add(time.Duration(wait))
}

// shown returns the first time after at at which the clock of the zone shows what the cron
// expression says; zero if there is none.
//
// An expression that names its hours is due once for each time: where the clock shows the time
// twice, at the first; where the clock skips it, as much later as the clock jumps. An expression
// that names none is due whenever the clock shows the time.
func (t *ticks) shown(at time.Time) time.Time {
	for in := at; ; {
		// From start to end the clock is ahead of UTC by one offset.
		start, end := in.In(t.zone).ZoneBounds()
		if !end.IsZero() && !end.After(in) {
			end = in.Add(24 * time.Hour) // ZoneBounds ends the year on 31 December 00:00 if it is a leap year.
		}
		ahead := t.ahead(in)
		from, skipped := at, time.Time{}
		if !t.hourly && !start.IsZero() {
			before := t.ahead(start.Add(-1))
			switch jump := ahead - before; {
			case jump < 0 && at.Before(start.Add(-jump)):
				from = start.Add(-jump - 1) // The clock has shown the times before that.
			case jump > 0 && at.Before(start.Add(jump)):
				skipped = t.next(at, before)
				if !skipped.Before(start.Add(jump)) {
					skipped = time.Time{}
				}
			}
		}
		next := t.next(from, ahead)
		if !skipped.IsZero() && (next.IsZero() || skipped.Before(next)) {
			next = skipped
		}
		if next.IsZero() || end.IsZero() || next.Before(end) {
			return next
		}
		in, at = end, end.Add(-1)
	}
}

// ahead returns by how much the clock of the zone is ahead of UTC.
func (t *ticks) ahead(at time.Time) time.Duration {
	_, offset := at.In(t.zone).Zone()
	return time.Duration(offset) * time.Second
}

// next returns when a clock that is ahead of UTC by an offset, and is never changed, first shows
// a time of the expression; zero if there is none.
func (t *ticks) next(at time.Time, ahead time.Duration) time.Time {
	found := t.cron.Next(at.UTC().Add(ahead))
	if found.IsZero() {
		return found
	}
	return found.Add(-ahead)
}

// fires returns when a tick is due: its time and its part of the jitter.
func (d *Definition) fires(tick time.Time) time.Time {
	if d.Jitter <= 0 || tick.IsZero() {
		return tick
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s@%d", d.Name, tick.Unix())
	// The high bits of FNV are the better ones.
	return tick.Add(time.Duration(h.Sum64()>>1) % d.Jitter).Truncate(time.Millisecond)
}

// due are the ticks that a schedule finds when it wakes up.
type due struct {
	// Start are those that start something, oldest first.
	Start []time.Time `json:"start,omitempty"`
	// Missed are those too late to be caught up, as one span.
	Missed *Span `json:"missed,omitempty"`
	// Next tick; zero if there is none. It may be due already: of many ticks a part is taken at
	// once.
	Next time.Time `json:"next,omitzero"`
}

// Most ticks that are started in one round, and most bytes that their inputs may have together,
// since a commit holds 4 MB.
const (
	mostAtOnce = 100
	mostBytes  = 3 << 20
)

// dueAt returns what is due at a time, from a tick on.
func (t *ticks) dueAt(tick, now time.Time) due {
	var out due
	miss := func(at time.Time) {
		if out.Missed == nil {
			out.Missed = &Span{From: at, Reason: ReasonOutage}
		}
		out.Missed.To, out.Missed.Ticks = at, out.Missed.Ticks+1
	}
	d := t.d.plain()
	var last time.Time // The newest that is late, of which one is caught up.
	// The schedule wakes up for one tick after the other, so a tick with less jitter waits for
	// the one before it.
	var ready time.Time
	most := min(mostAtOnce, max(1, mostBytes/(len(d.Starts.Input)+1)))
	for !tick.IsZero() && !t.d.fires(tick).After(now) && len(out.Start) < most {
		if fires := t.d.fires(tick); fires.After(ready) {
			ready = fires
		}
		late := now.Sub(ready)
		switch {
		case late <= scheduling.OnTime, d.CatchUp == CatchUpAll && late <= d.Window:
			out.Start = append(out.Start, tick)
		case d.CatchUp == CatchUpLast:
			if !last.IsZero() {
				miss(last)
			}
			last = tick
		default:
			miss(tick)
		}
		tick = t.after(tick)
	}
	switch {
	case last.IsZero():
	case len(out.Start) == 0:
		out.Start = []time.Time{last}
	default:
		miss(last) // A newer one is on time.
	}
	out.Next = tick
	return out
}

// between returns the ticks of a range, both ends inclusive, and whether there are more than
// most of them.
func (t *ticks) between(from, to time.Time, most int) (list []time.Time, more bool) {
	for tick := t.after(from.Add(-1)); !tick.IsZero() && !tick.After(to); tick = t.after(tick) {
		if len(list) == most {
			return list, true
		}
		list = append(list, tick)
	}
	return list, false
}

// span counts the ticks from one of them to a time, both inclusive.
func (t *ticks) span(first, to time.Time) Span {
	s := Span{From: first}
	for tick := first; !tick.IsZero() && !tick.After(to); tick = t.after(tick) {
		s.To, s.Ticks = tick, s.Ticks+1
	}
	return s
}
