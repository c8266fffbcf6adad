// Package schedule starts orchestrations at recurring times, given by a cron expression in a time zone
// or by an interval.
//
// A schedule is an instance of an orchestration of this package. It sleeps until its next scheduled
// time, starts an instance of your orchestration, and continues as new. An idle schedule is one timer
// and costs nothing. It is as durable as any other instance, and works the same in memory, on SQLite
// and on AWS.
//
// An application that has schedules adds the orchestration of this package to its components:
//
//	app := turnstile.NewApp(Report.Implement(report), schedule.Part())
//
// A deployment then applies the schedules that the code declares. Apply creates missing schedules,
// updates changed ones, and returns what it did:
//
//	changes, err := schedule.NewClient(c).Apply(ctx, schedule.Definition{
//		Name: "nightly-report",
//		Cron: "0 3 * * *", TimeZone: "Europe/Berlin",
//		Starts: schedule.Orchestration(Report, ReportInput{Kind: "daily"}),
//	})
//
// A [Client] also pauses and resumes a schedule, triggers it now, backfills missed runs, and deletes
// it. Each method returns when the request is queued. [Client.WaitCreated] waits for a creation.
// [Client.Describe] and [Client.List] show schedules.
//
// # Scheduled times
//
// A scheduled time is a time at which a schedule is due. At that time the schedule starts an
// instance with the id NAME@TIME, for example nightly-report@2026-03-29T01:00:00Z, so no scheduled
// time starts two instances. A cron expression with two day fields has the same meaning as in
// crontab(5): if both restrict the day, one of them must match; if one begins with *, as */2 does,
// both must match.
//
// Clock changes affect only cron expressions:
//
//   - An expression that names hours ("30 2 * * *", "0 8-18 * * *") is due once for each local time. If
//     the clock skips that time, the run is due as much later as the clock jumps: "30 2 * * *" in
//     Berlin is due at 03:30 on that day in March. If a local time occurs twice, the run is due at the
//     first. A day that the date line skips is treated the same way: its runs are due a day later, at
//     the same hour, and a run that coincides with one of that day is the same run.
//   - An expression whose field of hours begins with * ("0 * * * *", "0 */2 * * *", @hourly) names no
//     hours. It is not due in an hour that the clock skips, and is due twice in an hour that occurs
//     twice.
//
// The next scheduled time is recorded in the history. If a later build of the program has different
// time zone rules, they apply from the following scheduled time on. A build that lacks the time
// zone makes the schedule stuck until a build with the time zone is deployed. No scheduled time is
// later than the year 2199.
//
// # Overlap
//
// The [Overlap] of a definition determines what happens if the instance of an earlier run is still
// running. Its [CatchUp] determines what happens to scheduled times that passed while no process
// was running, for example during an outage. Scheduled times that start nothing are counted, and
// the newest are listed with their reason.
package schedule
