package api

import (
	"encoding/json"
	"time"
)

// ScheduleList is a page of schedules, newest first.
type ScheduleList struct {
	At        time.Time  `json:"at"`
	Schedules []Schedule `json:"schedules"`
	// NextPageToken is empty on the last page; a page may be empty and not be the last.
	NextPageToken string `json:"next_page_token,omitempty"`
}

// Schedule starts an orchestration at recurring times.
type Schedule struct {
	Name string `json:"name"`
	// Status: "active", "paused", "over" (no tick is left), or that of its instance where that
	// does not run: "stuck", "suspended", "corrupt", "completed", "failed", "cancelled",
	// "terminated".
	Status string `json:"status"`
	// Problem is what its instance is stuck with.
	Problem string `json:"problem,omitempty"`
	// Instance is the id of the instance that the schedule is.
	Instance string `json:"instance"`
	// Cron expression, or Every, an interval such as "1h30m0s", with its Offset.
	Cron   string `json:"cron,omitempty"`
	Every  string `json:"every,omitempty"`
	Offset string `json:"offset,omitempty"`
	// Zone is the time zone of Cron; UTC if empty.
	TimeZone string    `json:"time_zone,omitempty"`
	StartAt  time.Time `json:"start_at,omitzero"`
	End      time.Time `json:"end,omitzero"`
	// Jitter is the most by which a tick is delayed.
	Jitter  string `json:"jitter,omitempty"`
	Overlap string `json:"overlap"`
	CatchUp string `json:"catch_up"`
	Window  string `json:"window,omitempty"`
	// Orchestration, Version and Input are what a tick starts.
	Orchestration string          `json:"orchestration"`
	Version       string          `json:"version,omitempty"`
	Input         json.RawMessage `json:"input,omitempty"`
	// Note is that of who has paused or resumed it last.
	Note string `json:"note,omitempty"`
	// Ticks are the next five.
	NextRuns []time.Time `json:"next_runs"`
	// Running are the instances that are not known to have ended, Recent the last ten that were
	// started, newest first.
	Running []ScheduleRun `json:"running"`
	Recent  []ScheduleRun `json:"recent"`
	// Buffered ticks wait for those that run, and then those of backfills.
	Buffered []time.Time `json:"buffered"`
	// Missed are the last ten spans of ticks that started nothing, newest first.
	Missed []ScheduleMissed `json:"missed"`
	// Started and MissedRuns count all of them.
	Started    int `json:"started"`
	MissedRuns int `json:"missed_runs"`
}

// ScheduleRun is an instance that a schedule has started.
type ScheduleRun struct {
	// ScheduledAt that it is for; for a trigger, the time of that.
	ScheduledAt time.Time `json:"scheduled_at"`
	Instance    string    `json:"instance"`
	StartedAt   time.Time `json:"started_at"`
	// Outcome: "started" (it is not known to have ended), "completed", "failed".
	Outcome string `json:"outcome"`
	Failure string `json:"failure,omitempty"`
}

// ScheduleMissed are ticks in a row that started nothing.
type ScheduleMissed struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Runs int       `json:"runs"`
	// Reason: "outage", "overlap", "buffer full", "deleted".
	Reason string `json:"reason"`
}

// ScheduleNote pauses, resumes or deletes a schedule.
type ScheduleNote struct {
	// Note says why.
	Note string `json:"note,omitempty"`
}

// ScheduleTrigger has a schedule start an instance now.
type ScheduleTrigger struct{}

// ScheduleBackfill has a schedule start the ticks of a range, both ends inclusive; at most
// 1,000.
type ScheduleBackfill struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// ScheduleAsked says that a schedule was asked for something.
type ScheduleAsked struct {
	Name string `json:"name"`
	// Instance that a trigger starts.
	Instance string `json:"instance,omitempty"`
	// Ticks that a backfill starts, those that were started before included.
	Runs int `json:"runs,omitempty"`
}
