package api

import "time"

// Stack is whether a stack is running or paused, as the command line prints it.
type Stack struct {
	// State is "running", "paused", "partly" (some event sources are on and some off), or
	// "changing".
	State   string        `json:"state"`
	Sources []EventSource `json:"sources"`
	// KeptUntil is how long the queues of a paused stack keep their messages.
	KeptUntil time.Time `json:"kept_until,omitzero"`
}

// EventSource is a queue whose messages invoke a function.
type EventSource struct {
	ID string `json:"id"`
	// Queue is "orchestrator", "delay", "activity-dead", "activity", or the name of another
	// activity queue.
	Queue    string `json:"queue"`
	Function string `json:"function"`
	// State according to Lambda: Enabled, Disabled, Enabling, Disabling, Creating, Updating or
	// Deleting.
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

// Finding is the result of one check.
type Finding struct {
	// Area is "access", "versions", "functions", "queues", "tables", "settings", "clock",
	// "instances" or "dead letters".
	Area string `json:"area"`
	// Level is "ok", "warning", "problem", or "unknown" (it could not be checked).
	Level string `json:"level"`
	Text  string `json:"text"`
	// Advice is what to do about it.
	Advice string `json:"advice,omitempty"`
}
