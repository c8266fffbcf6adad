package client

// Status of an instance.
type Status string

// The statuses. A stuck or corrupt instance is running but cannot continue, for the reason in Description.Problem.
// A suspended instance runs no code until it is resumed; see Description.Suspension. If it is stuck too, it also
// has a Problem. A scheduled instance is suspended from its start until the time in Suspension. A queued instance
// waits for a permit of a limit ([turnstile.Limit]). A forking instance is a fork that has not started, because
// its copy takes several commits and is not complete.
const (
	StatusRunning    Status = "running"
	StatusCompleted  Status = "completed"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled"
	StatusTerminated Status = "terminated"
	StatusStuck      Status = "stuck"
	StatusCorrupt    Status = "corrupt"
	StatusSuspended  Status = "suspended"
	StatusScheduled  Status = "scheduled"
	StatusQueued     Status = "queued"
	StatusForking    Status = "forking"
)

// Terminal reports whether the instance has ended: completed, failed, cancelled
// or terminated.
func (s Status) Terminal() bool {
	switch s {
	case StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated:
		return true
	}
	return false
}
