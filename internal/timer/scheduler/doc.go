// Package scheduler is a timer on Amazon EventBridge Scheduler: one-time
// schedules that send to the orchestrator queue and are deleted after firing.
//
// The permissions it needs: scheduler:CreateSchedule and
// scheduler:DeleteSchedule on the schedules of its group, and iam:PassRole on
// the role that Scheduler sends under.
//
// Scheduler delivers within the minute of the due time (its precision is 60 s)
// and at least once. It gives a FIFO queue a group but no deduplication id, so
// the queue has to deduplicate by content. What it cannot deliver goes to the
// dead-letter queue of the schedule.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
package scheduler
