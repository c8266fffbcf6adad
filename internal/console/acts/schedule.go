package acts

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/schedule"
)

// ofSchedule is the path of a schedule.
const ofSchedule = "schedules/{name}/"

// noted returns an act on a schedule that takes only a note.
func noted(r Row, do func(c *schedule.Client, ctx context.Context, name, note string) error) *Act[api.ScheduleNote, api.ScheduleAsked] {
	return &Act[api.ScheduleNote, api.ScheduleAsked]{r, func(ctx context.Context, on *On, in api.ScheduleNote) (api.ScheduleAsked, error) {
		return api.ScheduleAsked{Name: on.ID}, do(schedule.NewClient(on.Client), ctx, on.ID, in.Note)
	}}
}

// PauseSchedule pauses a schedule.
var PauseSchedule = noted(Row{
	Path: ofSchedule + "pause", Title: "Pause", Does: "The schedule starts no instances until it is resumed.",
	Summary: "Pause a schedule.",
}, (*schedule.Client).Pause)

// ResumeSchedule resumes a paused schedule.
var ResumeSchedule = noted(Row{
	Path: ofSchedule + "resume", Title: "Resume", Does: "The schedule continues with the next scheduled time.",
	Summary: "Resume a paused schedule.",
}, (*schedule.Client).Resume)

// DeleteSchedule deletes a schedule.
var DeleteSchedule = noted(Row{
	Path: ofSchedule + "delete", Title: "Delete", Final: true, Destroys: true, Does: "The schedule is deleted. The instances that it started continue.",
	Summary: "Delete a schedule.",
}, (*schedule.Client).Delete)

// TriggerSchedule starts an instance of a schedule now.
var TriggerSchedule = &Act[api.Nothing, api.ScheduleAsked]{Row{
	Path: ofSchedule + "trigger", Title: "Trigger", Does: "The schedule starts an instance now, regardless of running instances and even if it is paused.",
	Summary: "Trigger a schedule: it starts an instance now.",
}, func(ctx context.Context, on *On, _ api.Nothing) (api.ScheduleAsked, error) {
	instance, err := schedule.NewClient(on.Client).Trigger(ctx, on.ID)
	return api.ScheduleAsked{Name: on.ID, Instance: instance}, err
}}

// BackfillSchedule starts the runs of a past period.
var BackfillSchedule = &Act[api.ScheduleBackfill, api.ScheduleAsked]{Row{
	Path: ofSchedule + "backfill", Title: "Backfill", Does: "The schedule starts the runs of a past period that have no instance yet. The response has the number of runs.",
	Summary: "Backfill a schedule: it starts the runs of a range that have no instance yet.",
}, func(ctx context.Context, on *On, in api.ScheduleBackfill) (api.ScheduleAsked, error) {
	n, err := schedule.NewClient(on.Client).Backfill(ctx, on.ID, in.From, in.To)
	return api.ScheduleAsked{Name: on.ID, Runs: n}, err
}}
