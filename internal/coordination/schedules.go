package coordination

import "time"

const (
	// Schedules is the name of the orchestration that every schedule is an instance of.
	Schedules = "turnstile.schedule"
	// MaxBackfill is the most ticks that one backfill starts.
	MaxBackfill = 1000
	// OnTime is how late a tick may be and still count as on time. A timer of EventBridge
	// Scheduler may fire a minute late.
	OnTime = 2 * time.Minute
)

// ScheduleID returns the id of the instance that a schedule is.
func ScheduleID(name string) string { return "schedule:" + name }

// StartedPrefix is what the ids of the instances begin with that a schedule starts.
func StartedPrefix(name string) string { return name + "@" }
