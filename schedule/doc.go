// Package schedule starts orchestrations at recurring times: by a cron expression in a time
// zone, or at an interval.
//
// A schedule is an instance of an orchestration of this package. It sleeps until its next
// tick, starts what it is for, and continues as new. An idle schedule is one timer and costs
// nothing. It is durable as every instance is, and it runs the same in memory, on SQLite and
// on AWS.
//
// An application that has schedules names the orchestration among its parts:
//
//	app := turnstile.NewApp(Report.Implement(report), schedule.Part())
//
// A deployment then applies the schedules that the code declares. Apply creates what is
// missing, changes what differs, and says what it did:
//
//	changes, err := schedule.NewClient(c).Apply(ctx, schedule.Definition{
//		Name: "nightly-report",
//		Cron: "0 3 * * *", Zone: "Europe/Berlin",
//		Starts: schedule.Orchestration(Report, ReportInput{Kind: "daily"}),
//	})
//
// A [Client] also pauses and resumes a schedule, triggers it now, backfills ticks that were
// missed, and deletes it: each method returns when the request is queued. [Client.WaitCreated] waits
// for a creation. [Client.Describe] and [Client.List] show schedules.
//
// # Ticks
//
// A tick is one of the times at which a schedule is due. The instance that it starts has the
// id NAME@TIME, for example nightly-report@2026-03-29T01:00:00Z, so that no tick starts two
// instances. A cron expression with two day fields means what it means to crontab(5): if both restrict
// the day, one of them has to match; if one begins with *, as */2 does, both have to.
//
// Clocks that change are treated as follows; only cron expressions are affected:
//
//   - An expression that names hours ("30 2 * * *", "0 8-18 * * *") is due once for each time.
//     In an hour that does not exist the tick comes as much later as the clock jumps: "30 2 * * *"
//     in Berlin is due at 03:30 on the day in March. Of an hour that comes twice it is the first.
//     A day that the date line skips is such a time too: its ticks come a day later, at the same
//     hour, and one that meets a tick of that day is the same tick.
//   - An expression whose field of hours begins with * ("0 * * * *", "0 */2 * * *", @hourly) names
//     none: it is not due in an hour that does not exist, and is due twice in an hour that comes twice.
//
// The next tick is recorded in the history. A later build of the program, with other rules of
// time zones, changes the ticks after that one. A build that lacks the time zone leaves the schedule
// stuck until a build has it. No tick is later than the year 2199.
//
// # Overlap
//
// The [Overlap] of a definition says what happens if the instance of an earlier tick still
// runs. Its [CatchUp] says what happens to ticks that were due while nothing ran, for example
// during an outage. Ticks that start nothing are counted, and the newest are listed with their
// reason.
package schedule
