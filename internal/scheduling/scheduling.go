// Package scheduling has what package schedule and the programs that show its schedules agree
// on: how the instances are named, and two limits.
package scheduling

import "time"

const (
	// Orchestration is the name of the orchestration that every schedule is an instance of.
	Orchestration = "turnstile.schedule"
	// MaxBackfill is the most ticks that one backfill starts.
	MaxBackfill = 1000
	// OnTime is how late a tick may be and still count as on time. A timer of EventBridge
	// Scheduler may fire a minute late.
	OnTime = 2 * time.Minute
)

// InstanceID returns the id of the instance that a schedule is.
func InstanceID(name string) string { return "schedule:" + name }

// StartedPrefix is what the ids of the instances begin with that a schedule starts.
func StartedPrefix(name string) string { return name + "@" }
