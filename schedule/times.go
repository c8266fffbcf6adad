package schedule

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/turnstile-go/turnstile/internal/coordination"
)

// scheduledTimes computes the scheduled times of a definition. They are whole seconds.
type scheduledTimes struct {
	d    *Definition
	zone *time.Location
	cron cron.Schedule
	// hourly is set if the field of hours begins with a star, so the cron expression names no
	// hours.
	hourly bool
}

const (
	// lastYear is the last year in which a timer fires.
	lastYear = 2199
	// searchedYears is the number of years in which a date of a cron expression is searched for: 29
	// February falls on the same day of the week after 40 years at the latest.
	searchedYears = 40
)

// Scheduled times are computed between firstTime and lastTime. An interval counts in nanoseconds since
// 1970, which can represent times from 1677 on. lastTime leaves room for the jitter.
var (
	firstTime = time.Unix(0, math.MinInt64)
	lastTime  = time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-maxJitter - 1)
)

// scheduledTimes returns the calculator of the definition's scheduled times. Errors: [*InvalidError].
func (d *Definition) scheduledTimes() (*scheduledTimes, error) {
	t := &scheduledTimes{d: d, zone: time.UTC}
	if d.Cron == "" {
		return t, nil
	}
	zone, err := time.LoadLocation(d.TimeZone)
	if err != nil || d.TimeZone == "Local" {
		return nil, &InvalidError{Schedule: d.Name, Field: "zone", Value: d.TimeZone, Problem: "there is no such time zone; give an IANA name, for example Europe/Berlin", Err: err}
	}
	fields := strings.Fields(d.Cron)
	if len(fields) == 0 || strings.Contains(fields[0], "TZ=") || fields[0] == "@every" {
		return nil, &InvalidError{Schedule: d.Name, Field: "cron", Value: d.Cron, Problem: "give the zone and the interval in the fields of the definition (TimeZone, Every)"}
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

// after returns the first scheduled time later than a time; zero if there is none.
func (t *scheduledTimes) after(at time.Time) time.Time {
	d := t.d
	if !d.StartAt.IsZero() && at.Before(d.StartAt) {
		at = d.StartAt.Add(-1)
	}
	if at.Before(firstTime) {
		at = firstTime
	}
	next := t.unbounded(at)
	if next.After(lastTime) || !d.End.IsZero() && next.After(d.End) {
		return time.Time{}
	}
	return next.UTC()
}

func (t *scheduledTimes) unbounded(at time.Time) time.Time {
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

// shown returns the first time after `at` at which the clock of the zone shows a time of the cron
// expression; zero if there is none.
//
// An expression that names its hours is due once for each local time: if the clock shows the time
// twice, it is due at the first; if the clock skips the time, it is due as much later as the clock
// jumps. An expression that names no hours is due whenever the clock shows the time.
func (t *scheduledTimes) shown(at time.Time) time.Time {
	for in := at; ; {
		// From start to end the zone has one offset to UTC.
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
				from = start.Add(-jump - 1) // The clock has already shown the times before from.
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

// ahead returns the zone's offset to UTC at a time.
func (t *scheduledTimes) ahead(at time.Time) time.Duration {
	_, offset := at.In(t.zone).Zone()
	return time.Duration(offset) * time.Second
}

// next returns when a clock with a fixed offset to UTC first shows a time of the expression; zero if
// there is none.
func (t *scheduledTimes) next(at time.Time, ahead time.Duration) time.Time {
	found := t.cron.Next(at.UTC().Add(ahead))
	if found.IsZero() {
		return found
	}
	return found.Add(-ahead)
}

// fires returns when a run starts: its scheduled time plus its jitter.
func (d *Definition) fires(scheduled time.Time) time.Time {
	if d.Jitter <= 0 || scheduled.IsZero() {
		return scheduled
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s@%d", d.Name, scheduled.Unix())
	// The high bits of FNV are the better ones.
	return scheduled.Add(time.Duration(h.Sum64()>>1) % d.Jitter).Truncate(time.Millisecond)
}

// due are the scheduled times that a schedule finds when it wakes up.
type due struct {
	// Start are the scheduled times that start an instance, oldest first.
	Start []time.Time `json:"start,omitempty"`
	// Missed are the scheduled times that are too late to be caught up, as one span.
	Missed *Span `json:"missed,omitempty"`
	// Next scheduled time; zero if there is none. It may be due already, because only a limited
	// number is processed at once.
	Next time.Time `json:"next,omitzero"`
}

// The maximum number of runs that are started in one wake-up, and the maximum total size of their
// inputs, because a commit holds 4 MB.
const (
	mostAtOnce = 100
	mostBytes  = 3 << 20
)

// dueAt returns what is due at the time now, from a scheduled time on.
func (t *scheduledTimes) dueAt(scheduled, now time.Time) due {
	var out due
	miss := func(at time.Time) {
		if out.Missed == nil {
			out.Missed = &Span{From: at, Reason: ReasonOutage}
		}
		out.Missed.To, out.Missed.Runs = at, out.Missed.Runs+1
	}
	d := t.d.plain()
	var last time.Time // The newest late scheduled time; CatchUpLast starts it.
	// The schedule wakes up for the scheduled times in order, so a run with less jitter waits for
	// the run before it.
	var ready time.Time
	most := min(mostAtOnce, max(1, mostBytes/(len(d.Starts.Input)+1)))
	for !scheduled.IsZero() && !t.d.fires(scheduled).After(now) && len(out.Start) < most {
		if fires := t.d.fires(scheduled); fires.After(ready) {
			ready = fires
		}
		late := now.Sub(ready)
		switch {
		case late <= coordination.OnTime, d.CatchUp == CatchUpAll && late <= d.Window:
			out.Start = append(out.Start, scheduled)
		case d.CatchUp == CatchUpLast:
			if !last.IsZero() {
				miss(last)
			}
			last = scheduled
		default:
			miss(scheduled)
		}
		scheduled = t.after(scheduled)
	}
	switch {
	case last.IsZero():
	case len(out.Start) == 0:
		out.Start = []time.Time{last}
	default:
		miss(last) // A newer scheduled time is on time.
	}
	out.Next = scheduled
	return out
}

// between returns the scheduled times of a range, both ends inclusive, and whether there are more than
// `most` of them.
func (t *scheduledTimes) between(from, to time.Time, most int) (list []time.Time, more bool) {
	for scheduled := t.after(from.Add(-1)); !scheduled.IsZero() && !scheduled.After(to); scheduled = t.after(scheduled) {
		if len(list) == most {
			return list, true
		}
		list = append(list, scheduled)
	}
	return list, false
}

// span counts the scheduled times from first to a time, both inclusive.
func (t *scheduledTimes) span(first, to time.Time) Span {
	s := Span{From: first}
	for scheduled := first; !scheduled.IsZero() && !scheduled.After(to); scheduled = t.after(scheduled) {
		s.To, s.Runs = scheduled, s.Runs+1
	}
	return s
}
