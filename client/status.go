package client

// Status of an instance.
type Status string

// The statuses. A stuck or corrupt instance is one that runs and cannot go on;
// Description.Problem says why. A suspended one is not to go on: Description.Suspension
// says since when; if it is stuck too, it has a Problem. A scheduled one is suspended
// from its start on, until the time that Suspension gives.
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
