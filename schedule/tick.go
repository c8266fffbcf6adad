package schedule

import (
	"fmt"
	"hash/fnv"
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
	// hourly: the cron expression is due in every hour, or in every second, third, …
	hourly bool
}

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
	parsed, err := cron.ParseStandard(d.Cron)
	if err != nil {
		return nil, &InvalidError{Schedule: d.Name, Field: "cron", Value: d.Cron, Problem: fmt.Sprintf("%v; give five fields: minute, hour, day of month, month, day of week", err), Err: err}
	}
	t.zone, t.cron = zone, parsed
	t.hourly = fields[0] == "@hourly" || len(fields) > 1 && strings.HasPrefix(fields[1], "*")
	return t, nil
}

// after returns the first tick later than a time; zero if there is none.
func (t *ticks) after(at time.Time) time.Time {
	d := t.d
	if !d.Begin.IsZero() && at.Before(d.Begin) {
		at = d.Begin.Add(-1)
	}
	next := t.unbounded(at)
	if next.IsZero() || !d.End.IsZero() && next.After(d.End) {
		return time.Time{}
	}
	return next.UTC()
}

func (t *ticks) unbounded(at time.Time) time.Time {
	if t.cron == nil {
		every, offset := t.d.Every.Nanoseconds(), t.d.Offset.Nanoseconds()
		since := at.UnixNano() - offset
		n := since / every
		if since%every < 0 {
			n--
		}
		return time.Unix(0, (n+1)*every+offset)
	}
	if t.hourly {
		return t.everyHour(at)
	}
	return t.namedHours(at)
}

// clockShows is the time that the clock of the zone shows, as one of UTC, where no clock
// changes. Cron expressions are about it.
func (t *ticks) clockShows(at time.Time) time.Time {
	_, offset := at.In(t.zone).Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// everyHour returns the next time at which the clock shows what the expression says: never
// in an hour that does not exist, twice in one that comes twice.
func (t *ticks) everyHour(at time.Time) time.Time {
	for {
		_, end := at.In(t.zone).ZoneBounds()
		shown := t.clockShows(at)
		next := t.cron.Next(shown)
		if next.IsZero() {
			return next
		}
		if tick := at.UTC().Add(next.Sub(shown)); !end.After(at) || tick.Before(end) {
			return tick
		}
		// The clock changes before that, and the moment at which it does may be a tick.
		if shown := t.clockShows(end); t.cron.Next(shown.Add(-1)).Equal(shown) {
			return end.UTC()
		}
		at = end
	}
}

// namedHours returns the next time of an expression that names its hours. Each is due once:
// where the clock shows it twice, at the first time; where it never shows it, as much later as
// the clock jumps.
func (t *ticks) namedHours(at time.Time) time.Time {
	const change = 3 * time.Hour // More than any clock is changed.
	var first time.Time
	shown := t.clockShows(at).Add(-change)
	for {
		if shown = t.cron.Next(shown); shown.IsZero() {
			return first
		}
		if !first.IsZero() && shown.After(t.clockShows(first).Add(change)) {
			return first
		}
		if tick := t.whenShown(shown); tick.After(at) && (first.IsZero() || tick.Before(first)) {
			first = tick
		}
	}
}

// whenShown returns when the clock shows a time.
func (t *ticks) whenShown(shown time.Time) time.Time {
	_, before := shown.Add(-24 * time.Hour).In(t.zone).Zone()
	_, behind := shown.Add(24 * time.Hour).In(t.zone).Zone()
	early, late := shown.Add(-time.Duration(before)*time.Second), shown.Add(-time.Duration(behind)*time.Second)
	if early.After(late) && !t.clockShows(early).Equal(shown) && t.clockShows(late).Equal(shown) ||
		early.Before(late) && !t.clockShows(early).Equal(shown) {
		return late
	}
	return early
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
