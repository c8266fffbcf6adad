package api

import "time"

// Stack says whether a stack runs or is paused, as the command line prints it.
type Stack struct {
	// State: running, paused, partly (some event sources are on and some off), or
	// changing.
	State   string        `json:"state"`
	Sources []EventSource `json:"sources"`
	// KeptUntil is until when what waits in the queues of a paused stack is kept.
	KeptUntil time.Time `json:"kept_until,omitzero"`
}

// EventSource is a queue that a function is run for.
type EventSource struct {
	ID string `json:"id"`
	// Queue: orchestrator, delay, activity-dead, activity, or the name of another.
	Queue    string `json:"queue"`
	Function string `json:"function"`
	// State as Lambda says it: Enabled, Disabled, Enabling, Disabling, Creating,
	// Updating, Deleting.
	State     string    `json:"state"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// Doctor is a report on an environment.
type Doctor struct {
	Now      time.Time `json:"now"`
	Place    string    `json:"place"`
	Findings []Finding `json:"findings"`
	// Problems, Warnings and Unknown are how many findings there are of each.
	Problems int `json:"problems"`
	Warnings int `json:"warnings"`
	Unknown  int `json:"unknown"`
}

// Finding is what a look at one thing has shown.
type Finding struct {
	// Area: access, versions, functions, queues, tables, settings, clock,
	// instances, dead letters.
	Area string `json:"area"`
	// Level: ok, warning, problem, unknown (it could not be looked at).
	Level string `json:"level"`
	Text  string `json:"text"`
	// Advice says what to do about it.
	Advice string `json:"advice,omitempty"`
}
