package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/schedule"
)

// ScheduleList is a page of schedules, newest first.
type ScheduleList struct {
	At        time.Time  `json:"at"`
	Schedules []Schedule `json:"schedules"`
	// NextPageToken is empty on the last page. A page may be empty without being the last.
	NextPageToken string `json:"next_page_token,omitempty"`
}

// Schedule starts an orchestration at recurring times.
type Schedule struct {
	Name string `json:"name"`
	// Status is "active", "paused", "over" (no scheduled time is left), or the status of its
	// instance if that is not running: "stuck", "suspended", "corrupt", "completed", "failed",
	// "cancelled" or "terminated".
	Status string `json:"status"`
	// Problem is why its instance is stuck.
	Problem string `json:"problem,omitempty"`
	// Instance is the id of the schedule's own instance.
	Instance string `json:"instance"`
	// Cron expression, or Every, an interval such as "1h30m0s", with its Offset.
	Cron   string `json:"cron,omitempty"`
	Every  string `json:"every,omitempty"`
	Offset string `json:"offset,omitempty"`
	// TimeZone is the time zone of Cron; UTC if empty.
	TimeZone string    `json:"time_zone,omitempty"`
	StartAt  time.Time `json:"start_at,omitzero"`
	End      time.Time `json:"end,omitzero"`
	// Jitter is the maximum random delay of a run.
	Jitter  string `json:"jitter,omitempty"`
	Overlap string `json:"overlap"`
	CatchUp string `json:"catch_up"`
	Window  string `json:"window,omitempty"`
	// Orchestration, Version and Input are what a run starts.
	Orchestration string          `json:"orchestration"`
	Version       string          `json:"version,omitempty"`
	Input         json.RawMessage `json:"input,omitempty"`
	// Note is the note of the last pause or resume.
	Note string `json:"note,omitempty"`
	// NextRuns are the next five scheduled times.
	NextRuns []time.Time `json:"next_runs"`
	// Running are the instances that are not known to have ended; Recent are the last ten that were
	// started, newest first.
	Running []schedule.Run `json:"running"`
	Recent  []schedule.Run `json:"recent"`
	// Buffered are the runs that wait for running instances to end, followed by the waiting runs of
	// backfills.
	Buffered []time.Time `json:"buffered"`
	// Missed are the last ten spans of runs that started nothing, newest first.
	Missed []schedule.Span `json:"missed"`
	// Started and MissedRuns count all runs, not only those listed.
	Started    int `json:"started"`
	MissedRuns int `json:"missed_runs"`
}

// ScheduleNote pauses, resumes or deletes a schedule.
type ScheduleNote struct {
	// Note says why.
	Note string `json:"note,omitempty"`
}

// ScheduleBackfill makes a schedule start the runs of a range, both ends inclusive; at most 1,000.
type ScheduleBackfill struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// ScheduleAsked is the response to a request to a schedule.
type ScheduleAsked struct {
	Name string `json:"name"`
	// Instance that a trigger starts.
	Instance string `json:"instance,omitempty"`
	// Runs that a backfill starts, including those that were started before.
	Runs int `json:"runs,omitempty"`
}
