package schedule_test

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/schedule"
)

// The clocks of Berlin go forward on the last Sunday of March: the tick of that night
// comes at three o'clock as well, which is an hour earlier in UTC.
func ExampleDefinition_Next() {
	report := turnstile.NewOrchestration[string, turnstile.None]("Report")
	nightly := schedule.Definition{
		Name: "nightly-report",
		Cron: "0 3 * * *", TimeZone: "Europe/Berlin",
		Starts: schedule.Orchestration(report, "daily"),
	}
	if err := nightly.Check(); err != nil {
		panic(err)
	}
	for _, scheduled := range nightly.Next(time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC), 2) {
		fmt.Println(scheduled.UTC().Format(time.RFC3339))
	}
	// Output:
	// 2026-03-28T02:00:00Z
	// 2026-03-29T01:00:00Z
}
