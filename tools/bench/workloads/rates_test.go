package workloads_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/limits"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
	"github.com/turnstile-go/turnstile/tools/bench/dynamolocal"
)

// Attempts of several processes under one rate, whose permits are an item of a table on DynamoDB
// Local: no span has more of them than the rate, and the others wait. It counts how often two processes
// change it at the same time: of four processes, and with TURNSTILE_PROVE=1 of one to eight.
func TestRatesOnDynamoDB(t *testing.T) {
	const rate, span, all = 100, time.Second, 600
	numbers := []int{4}
	if os.Getenv("TURNSTILE_PROVE") == "1" {
		numbers = []int{1, 2, 4, 8}
	}
	for _, processes := range numbers {
		t.Run(fmt.Sprintf("%d processes", processes), func(t *testing.T) {
			api, config := dynamolocal.Tables(t, "rates")
			asked := &counter{}
			config.Meter = asked.meter
			permits := &ratePermits{Activities: dynamo.NewActivities(api, config), span: span, taken: map[int64]int{}}
			work := turnstile.NewActivity[int, int]("Work").With(turnstile.Rate("api", rate, span))
			fan := turnstile.NewOrchestration[int, int]("Fan")
			ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
			defer stop()
			var running, waited sync.WaitGroup
			startedAt := time.Now()
			for n := range processes {
				c := &counter{}
				db := database{c, storememory.New(), permits, &keyring.Memory{}, c}
				env, err := embedded.New(turnstile.NewApp(
					work.Implement(func(_ context.Context, n int) (int, error) { return n, nil }),
					fanOut(fan, work)), embedded.WithDatabase(db), embedded.WithWorkers(20))
				if err != nil {
					t.Fatal(err)
				}
				running.Go(func() { _ = env.Run(ctx) })
				waited.Go(func() {
					run, err := client.Start(ctx, env.Client(), fan, all/processes, client.WithInstanceID(fmt.Sprint("fan-", n)))
					if err == nil {
						_, err = run.Wait(ctx)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			waited.Wait()
			took := time.Since(startedAt)
			stop()
			running.Wait()
			taken, refused := permits.counts(t, rate)
			used := asked.now()
			t.Logf("%d activities in %s, %.0f a second; each %.2f conflicts, %.1f writes and %.1f reads of the activities table", taken,
				took.Round(time.Millisecond), float64(taken)/took.Seconds(), float64(refused)/float64(taken), float64(used.Writes)/float64(taken), float64(used.Reads)/float64(taken))
			if taken != all {
				t.Errorf("%d permits are taken for %d activities", taken, all)
			}
		})
	}
}

// ratePermits are the permits of a rate that several processes take.
type ratePermits struct {
	store.Activities
	span time.Duration
	mu   sync.Mutex
	// taken is how many permits were taken for each time.
	taken   map[int64]int
	refused int
}

// Claim implements store.Activities.
func (p *ratePermits) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	err := p.Activities.Claim(ctx, key, claim, expiresAt)
	if key != limits.Key(limits.OfRate("api")) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, conflict := errors.AsType[*store.ClaimedError](err); conflict {
		p.refused++
	}
	if state, damaged := limits.Of("api", claim); err == nil && damaged == nil {
		for _, one := range state.Passed {
			p.taken[one.At] = max(p.taken[one.At], one.N)
		}
	}
	return err
}

// counts returns how many permits were taken, and how many changes another process was before. No span has
// more than n.
func (p *ratePermits) counts(t *testing.T, n int) (taken, refused int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []int64
	for at, many := range p.taken {
		all = append(all, slices.Repeat([]int64{at}, many)...)
	}
	slices.Sort(all)
	for i := n; i < len(all); i++ {
		if apart := time.Duration(all[i]-all[i-n]) * time.Millisecond; apart < p.span {
			t.Errorf("%d attempts are let through within %s, the rate is %d in %s", n+1, apart, n, p.span)
		}
	}
	return len(all), p.refused
}
