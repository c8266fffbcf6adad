package workloads_test

import (
	"context"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// noise is text of so many bytes that does not compress, another for each n.
func noise(n, size int) string {
	random := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	raw := make([]byte, size*3/4)
	_, _ = random.Read(raw) // It never fails.
	return base64.StdEncoding.EncodeToString(raw)
}

// What a redrive of a long history, and of a large one, asks of the store, and how long it takes; and
// what a redrive of that redrive does. The history was written by activities, of which none runs again.
//
//	go -C tools/bench test ./workloads -v -run Redrive                # in memory and on SQLite; on DynamoDB Local at TURNSTILE_DYNAMODB_ENDPOINT
func TestARedriveOfALongHistory(t *testing.T) {
	for _, c := range []struct {
		name           string
		rounds, inEach int
		result         int
		writes         int // at most, with those of the last activity and of the end
	}{
		{"10,000 events", 50, 100, 100, 4},
		{"49 MB", 24, 8, 250_000, 225},
	} {
		for _, on := range []struct {
			name string
			open func(t *testing.T) database
		}{{"memory", inMemory}, {"SQLite", nil}, {"DynamoDB Local", onDynamoDB}} {
			t.Run(c.name+" "+on.name, func(t *testing.T) {
				if testing.Short() && c.rounds*c.inEach*c.result > 1<<20 {
					t.Skip("NOT RUN: 49 MB are not written where tests are to be short")
				}
				var db embedded.Database
				count := func() requests { return requests{} }
				if on.open != nil {
					d := on.open(t)
					db, count = d, d.now
				} else {
					opened, err := sqlite.Open(t.TempDir())
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() {
						if err := opened.Close(); err != nil {
							t.Error(err)
						}
					})
					db = opened
				}
				redriveLong(t, db, count, c.rounds, c.inEach, c.result, c.writes)
			})
		}
	}
}

func redriveLong(t *testing.T, db embedded.Database, count func() requests, rounds, inEach, result, writes int) {
	var (
		long   = turnstile.NewOrchestration[int, int]("Long")
		load   = turnstile.NewActivity[int, string]("Load")
		last   = turnstile.NewActivity[int, int]("Last")
		mended atomic.Bool
		loaded atomic.Int64
	)
	app := turnstile.NewApp(
		load.Implement(func(_ context.Context, n int) (string, error) {
			loaded.Add(1)
			return noise(n, result), nil
		}),
		last.Implement(func(_ context.Context, n int) (int, error) {
			if !mended.Load() {
				return 0, turnstile.NonRetryable(errors.New("not yet"))
			}
			return n, nil
		}),
		long.Implement(func(ctx turnstile.Context, rounds int) (int, error) {
			sum := 0
			for i := range rounds {
				inputs := make([]int, inEach)
				for j := range inputs {
					inputs[j] = i*inEach + j
				}
				results, err := turnstile.Map(ctx, inputs, inEach, load.Call)
				if err != nil {
					return 0, err
				}
				for _, r := range results {
					sum += len(r)
				}
			}
			return last.Call(ctx, sum)
		}))
	env, err := embedded.New(app, embedded.WithDatabase(db))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the environment ended with: %v", err)
		}
	}()
	run, err := client.Start(ctx, env.Client(), long, rounds, client.WithInstanceID("long"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err == nil || ctx.Err() != nil {
		t.Fatalf("it did not fail in its time: %v", err)
	}
	// The first redrive fails as the instance did, the second one goes on from that.
	ran := loaded.Load()
	for _, works := range []bool{false, true} {
		mended.Store(works)
		before, startedAt := count(), time.Now()
		redriven, err := env.Client().Redrive(ctx, client.RedriveRequest{Instance: "long"})
		if err != nil {
			t.Fatal(err)
		}
		run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
		sum, err := run.Wait(ctx)
		took, used := time.Since(startedAt), count().minus(before)
		t.Logf("%d events taken over in %s: %d writes of %.0f units, %d reads of %.0f units", redriven.CopiedEvents, took.Round(time.Millisecond),
			used.Writes, used.WriteUnits, used.Reads, used.ReadUnits)
		switch {
		case ctx.Err() != nil, (err == nil) != works:
			t.Errorf("with an activity that works %t it ended with: %v", works, err)
		case works && sum < rounds*inEach*result*9/10:
			t.Errorf("the sum is %d", sum)
		case loaded.Load() != ran:
			t.Errorf("%d activities ran again", loaded.Load()-ran)
		case redriven.CopiedEvents < int64(2*rounds*inEach):
			t.Errorf("%d events are taken over", redriven.CopiedEvents)
		case used.Writes > writes:
			t.Errorf("it took %d writes, more than %d", used.Writes, writes)
		}
	}
}
