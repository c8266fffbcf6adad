package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // Lambda's image has no time zones.

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/names"
)

// Limits of a definition and of commands to a schedule.
const (
	// maxName is the maximum length of a schedule's name in bytes; the name is part of the ids of its
	// instances.
	maxName = 200
	// maxBuffered is the maximum number of runs that wait for a running instance. Later ones are
	// skipped.
	maxBuffered = 1000
	// leastInterval is the shortest interval.
	leastInterval = time.Second
	// maxJitter is the longest jitter.
	maxJitter = time.Hour
)

// Overlap is what happens at a scheduled time if the instance of an earlier scheduled time is still
// running.
type Overlap string

// The overlap policies. The zero value is Skip.
const (
	// Skip starts nothing for the scheduled time. If the running instance comes from a backfill,
	// the run waits until it ends.
	Skip Overlap = "skip"
	// BufferOne keeps one run until no instance is running, and skips later runs until then.
	BufferOne Overlap = "buffer_one"
	// BufferAll keeps up to 1,000 runs and starts them one after another.
	BufferAll Overlap = "buffer_all"
	// Allow starts every run at its time. It is the cheapest policy: the schedule is not notified
	// when an instance ends, so [Client.Describe] does not show how the instance ended.
	Allow Overlap = "allow"
	// CancelRunning cancels the running instance and starts the newest run when it has ended.
	CancelRunning Overlap = "cancel_running"
	// TerminateRunning terminates the running instance and starts the newest run when it has ended. The
	// code of the terminated instance does not run again, so it cannot clean up.
	TerminateRunning Overlap = "terminate_running"
)

// CatchUp is what happens to scheduled times that passed more than two minutes ago because no
// process was running.
type CatchUp string

// The ways to catch up. The zero value is CatchUpLast.
const (
	// CatchUpLast starts the newest of these scheduled times; the others are missed.
	CatchUpLast CatchUp = "last"
	// CatchUpAll starts all of these scheduled times that are within the Window of the definition.
	CatchUpAll CatchUp = "all"
	// CatchUpNone starts none of these scheduled times.
	CatchUpNone CatchUp = "none"
)

// Definition declares a schedule.
type Definition struct {
	// Name of the schedule, 1 to 200 bytes.
	Name string `json:"name"`
	// Cron has five fields (minute, hour, day of month, month and day of week), with names (MON,
	// JAN), or it is @hourly, @daily, @weekly, @monthly or @yearly. As in crontab(5), if both day
	// fields restrict the day, the day must match one of them; if one begins with *, the day must
	// match both. Either Cron or Every is required.
	Cron string `json:"cron,omitempty"`
	// Every is an interval of at least one second. The scheduled times are its multiples since
	// 1970-01-01T00:00:00Z, plus Offset, so they do not depend on when the schedule was created.
	Every  time.Duration `json:"every_ns,omitempty"`
	Offset time.Duration `json:"offset_ns,omitempty"`
	// TimeZone is the IANA name of the time zone of Cron, for example "Europe/Berlin". Empty means UTC.
	TimeZone string `json:"time_zone,omitempty"`
	// StartAt and End bound the scheduled times, both inclusive; zero means no bound. No scheduled time
	// is later than the year 2199.
	StartAt time.Time `json:"start_at,omitzero"`
	End     time.Time `json:"end,omitzero"`
	// Jitter is the longest delay of a run, up to one hour. The delay is derived from the name and the
	// scheduled time, so it is the same each time it is computed.
	Jitter time.Duration `json:"jitter_ns,omitempty"`
	// Overlap is the overlap policy; [Skip] if empty.
	Overlap Overlap `json:"overlap,omitempty"`
	// CatchUp is the catch-up policy; [CatchUpLast] if empty. Window is for [CatchUpAll]; one hour if
	// zero.
	CatchUp CatchUp       `json:"catch_up,omitempty"`
	Window  time.Duration `json:"window_ns,omitempty"`
	// Starts is what each run starts; see [Orchestration].
	Starts Target `json:"starts"`
}

// Target is what a schedule starts.
type Target struct {
	// Name of the orchestration.
	Name string `json:"orchestration"`
	// Version; empty for the newest that is deployed.
	Version string `json:"version,omitempty"`
	// Input is JSON; nil for none.
	Input json.RawMessage `json:"input,omitempty"`

	err error
}

// Orchestration returns the target that starts an orchestration with this input. The version of the
// declaration applies ([turnstile.Version]). If the input cannot be encoded, [Definition.Check] returns
// the error.
func Orchestration[In, Out any](o turnstile.Orchestration[In, Out], in In) Target {
	input, err := json.Marshal(in)
	if err != nil {
		err = &turnstile.EncodeError{What: "input of orchestration", Name: o.Name(), Type: fmt.Sprintf("%T", in), Err: err}
	}
	return Target{Name: o.Name(), Version: o.Version(), Input: input, err: err}
}

// InvalidError is returned for an invalid definition, or an invalid command to a schedule.
type InvalidError struct {
	// Schedule is the name of the schedule, Field the field of the definition.
	Schedule, Field string
	// Value is the value as it was given. Problem describes what is wrong with it and what to do.
	Value, Problem string
	// Err is the error of a parser; nil if there is none.
	Err error
}

// Error implements error.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("schedule %q: %s %q: %s", e.Schedule, e.Field, e.Value, e.Problem)
}

// Unwrap returns the parser's error.
func (e *InvalidError) Unwrap() error { return e.Err }

// Check returns nil for a valid definition, a [*turnstile.EncodeError] or
// [*turnstile.PayloadTooLargeError] if its input is wrong, and otherwise an [*InvalidError].
func (d *Definition) Check() error {
	wrong := func(field, value, problem string) error {
		return &InvalidError{Schedule: d.Name, Field: field, Value: value, Problem: problem}
	}
	if problem := names.Name(d.Name); problem != "" || len(d.Name) > maxName {
		if problem == "" {
			problem = fmt.Sprintf("it has %d bytes; the limit is %d", len(d.Name), maxName)
		}
		return wrong("name", d.Name, problem)
	}
	switch {
	case d.Starts.err != nil:
		return d.Starts.err
	case names.Name(d.Starts.Name) != "":
		return wrong("orchestration", d.Starts.Name, names.Name(d.Starts.Name))
	case names.Version(d.Starts.Version) != "":
		return wrong("version", d.Starts.Version, names.Version(d.Starts.Version))
	case len(d.Starts.Input) > turnstile.MaxPayload/2:
		return &turnstile.PayloadTooLargeError{What: "input of schedule", Name: d.Name, Size: len(d.Starts.Input), Limit: turnstile.MaxPayload / 2}
	case len(d.Starts.Input) > 0 && !json.Valid(d.Starts.Input):
		return wrong("input", string(d.Starts.Input[:min(len(d.Starts.Input), 40)]), "it is not JSON")
	case d.Cron == "" && d.Every == 0:
		return wrong("cron", "", "give either a cron expression or an interval")
	case d.Cron != "" && d.Every != 0:
		return wrong("every", d.Every.String(), fmt.Sprintf("the schedule has the cron expression %q too; give one of them", d.Cron))
	case d.Cron == "" && d.Every < leastInterval:
		return wrong("every", d.Every.String(), fmt.Sprintf("the shortest interval is %s", leastInterval))
	case d.Every == 0 && d.Offset != 0, d.Offset < 0, d.Every > 0 && d.Offset >= d.Every:
		return wrong("offset", d.Offset.String(), "it requires an interval, and must be at least 0 and shorter than the interval")
	case d.Every > 0 && d.TimeZone != "":
		return wrong("zone", d.TimeZone, "an interval does not depend on a time zone; leave it out")
	case d.Jitter < 0 || d.Jitter > maxJitter:
		return wrong("jitter", d.Jitter.String(), fmt.Sprintf("it must be 0 to %s", maxJitter))
	case !slices.Contains([]Overlap{"", Skip, BufferOne, BufferAll, Allow, CancelRunning, TerminateRunning}, d.Overlap):
		return wrong("overlap", string(d.Overlap), "it must be skip, buffer_one, buffer_all, allow, cancel_running or terminate_running")
	case !slices.Contains([]CatchUp{"", CatchUpLast, CatchUpAll, CatchUpNone}, d.CatchUp):
		return wrong("catch_up", string(d.CatchUp), "it must be last, all or none")
	case d.Window < 0 || d.Window > 0 && d.CatchUp != CatchUpAll:
		return wrong("window", d.Window.String(), "it must be positive, and requires the catch-up policy all")
	case d.StartAt.After(lastTime):
		return wrong("start_at", d.StartAt.Format(time.RFC3339), fmt.Sprintf("no timer fires after the year %d; give an earlier time", lastYear))
	case d.End.Year() > 9999:
		return wrong("end", d.End.Format(time.RFC3339), "JSON cannot represent this year; leave it out for a schedule without an end")
	case !d.End.IsZero() && d.End.Before(d.StartAt):
		return wrong("end", d.End.Format(time.RFC3339), fmt.Sprintf("it is before the start, %s", d.StartAt.Format(time.RFC3339)))
	}
	t, err := d.scheduledTimes()
	if err != nil {
		return err
	}
	if t.after(time.Unix(0, 0)).IsZero() {
		field, value, problem := "cron", d.Cron, "it is never due: no day has this date, or the end is before the first scheduled time"
		if d.Every > 0 {
			field, value, problem = "every", d.Every.String(), fmt.Sprintf("it is never due: the first scheduled time is after the end, or after the year %d", lastYear)
		}
		return wrong(field, value, problem)
	}
	return nil
}

// same reports whether two definitions are equal, defaults included.
func (d *Definition) same(other *Definition) bool {
	a, err := json.Marshal(d.plain())
	b, errOther := json.Marshal(other.plain())
	return err == nil && errOther == nil && bytes.Equal(a, b)
}

// plain returns the definition with its defaults filled in, so that two can be compared.
func (d *Definition) plain() Definition {
	p := *d
	p.StartAt, p.End = p.StartAt.UTC(), p.End.UTC()
	if p.Overlap == "" {
		p.Overlap = Skip
	}
	if p.CatchUp == "" {
		p.CatchUp = CatchUpLast
	}
	if p.CatchUp == CatchUpAll && p.Window == 0 {
		p.Window = time.Hour
	}
	if p.TimeZone == "" && p.Cron != "" {
		p.TimeZone = "UTC"
	}
	var input bytes.Buffer
	if json.Compact(&input, p.Starts.Input) == nil {
		p.Starts.Input = input.Bytes()
	}
	return p
}
