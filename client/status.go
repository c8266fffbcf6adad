package client

import "github.com/turnstile-go/turnstile/store"

// Status of an instance.
type Status = store.Status

// The statuses. A stuck or corrupt instance is running but cannot continue, for the reason in Description.Problem.
// A suspended instance runs no code until it is resumed; see Description.Suspension. If it is stuck too, it also
// has a Problem. A scheduled instance is suspended from its start until the time in Suspension. A queued instance
// waits for a permit of a limit ([turnstile.Limit]). A forking instance is a fork that has not started, because
// its copy takes several commits and is not complete.
const (
	StatusRunning    = store.StatusRunning
	StatusCompleted  = store.StatusCompleted
	StatusFailed     = store.StatusFailed
	StatusCancelled  = store.StatusCancelled
	StatusTerminated = store.StatusTerminated
	StatusStuck      = store.StatusStuck
	StatusCorrupt    = store.StatusCorrupt
	StatusSuspended  = store.StatusSuspended
	StatusScheduled  = store.StatusScheduled
	StatusQueued     = store.StatusQueued
	StatusForking    = store.StatusForking
)
