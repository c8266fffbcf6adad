// Package scheduler is a timer on Amazon EventBridge Scheduler: one-time
// schedules that send to the orchestrator queue and are deleted after firing.
//
// It needs the permissions scheduler:CreateSchedule and scheduler:DeleteSchedule for
// the schedules of its group, and iam:PassRole for the role with which Scheduler sends.
//
// Scheduler delivers within the minute of the due time (its precision is 60 s) and at
// least once. It sends to a FIFO queue with a group but without a deduplication id, so
// the queue must deduplicate by content. Messages that it cannot deliver go to the
// dead-letter queue of the schedule.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
package scheduler
