package workloads_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// Activities of 100 ms under a limit over instances, and without one, on DynamoDB Local: how
// many a second, and what each writes and reads of the activities table.
func TestLimitedActivitiesOnDynamoDB(t *testing.T) {
	for _, c := range []struct {
		name       string
		options    []turnstile.ActivityOption
		instances  int
		activities int
	}{
		{"without a limit", nil, 20, 10},
		{"under a limit that nobody waits for", []turnstile.ActivityOption{turnstile.Limit("api", 100)}, 2, 10},
		{"under a limit of 10", []turnstile.ActivityOption{turnstile.Limit("api", 10)}, 20, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := onDynamoDB(t)
			work := turnstile.NewActivity[int, int]("Work").With(c.options...)
			fan := turnstile.NewOrchestration[int, int]("Fan")
			env, err := embedded.New(turnstile.NewApp(
				work.Implement(func(ctx context.Context, n int) (int, error) {
					select {
					case <-time.After(100 * time.Millisecond):
					case <-ctx.Done():
					}
					return n, ctx.Err()
				}),
				fanOut(fan, work)), embedded.WithDatabase(db), embedded.WithWorkers(40))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
			ended := make(chan error, 1)
			go func() { ended <- env.Run(ctx) }()
			startedAt, before := time.Now(), db.activityRequests()
			var all sync.WaitGroup
			for n := range c.instances {
				all.Go(func() {
					run, err := client.Start(ctx, env.Client(), fan, c.activities, client.WithInstanceID(fmt.Sprint("fan-", n)))
					if err == nil {
						_, err = run.Wait(ctx)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			took, asked := time.Since(startedAt), db.activityRequests().minus(before)
			n := float64(c.instances * c.activities)
			t.Logf("%.0f activities in %s, %.0f a second; each %.1f writes (%.1f units) and %.1f reads (%.1f units) of the activities table",
				n, took.Round(time.Millisecond), n/took.Seconds(), float64(asked.Writes)/n, asked.WriteUnits/n, float64(asked.Reads)/n, asked.ReadUnits/n)
			if unlimited := c.options == nil; unlimited != (asked.Writes == 0) {
				t.Errorf("%d writes", asked.Writes)
			}
			stop()
			<-ended
		})
	}
}

// fanOut calls an activity n times at once, each with its number.
func fanOut(fan turnstile.Orchestration[int, int], work turnstile.Activity[int, int]) turnstile.Component {
	return fan.Implement(func(ctx turnstile.Context, n int) (int, error) {
		calls := make([]turnstile.Future[int], n)
		for i := range calls {
			calls[i] = work.Start(ctx, i)
		}
		_, err := turnstile.Join(ctx, calls...)
		return n, err
	})
}
