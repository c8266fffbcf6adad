package bench

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
)

// BenchmarkComparedWithTemporal replays each shape from stored bytes on both, in
// turn, so that what else the machine does falls on both alike, and by the
// processor's time, garbage collection included. It reports medians of the
// pairs: how many times Temporal's events a second, and how many times as fast
// the same work.
func BenchmarkComparedWithTemporal(b *testing.B) {
	ours := storedReplays(b)
	for i, theirs := range temporalReplays(b) {
		ours := ours[i]
		b.Run(theirs.name, func(b *testing.B) {
			const slice = 50 * time.Millisecond
			var events, work []float64
			for b.Loop() {
				t, o := processorTime(b, slice, theirs.replay), processorTime(b, slice, ours.replay)
				work = append(work, float64(t)/float64(o))
				events = append(events, float64(t)/float64(o)*float64(ours.events)/float64(theirs.events))
			}
			b.ReportMetric(median(events), "×events/s")
			b.ReportMetric(median(work), "×work")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// processorTime returns what one call of f takes: it is called until at least
// so much time has gone by.
func processorTime(tb testing.TB, least time.Duration, f func(testing.TB)) time.Duration {
	f(tb)
	begin := processor(tb)
	for n := time.Duration(1); ; n++ {
		f(tb)
		if spent := processor(tb) - begin; spent >= least {
			return spent / n
		}
	}
}

func processor(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// stored is a shape that is replayed from its stored bytes.
type stored struct {
	name   string
	events int
	replay func(testing.TB)
}

func storedReplays(tb testing.TB) (all []stored) {
	for _, shape := range shapes {
		app := turnstile.NewApp(shape.part)
		if err := app.Err(); err != nil {
			tb.Fatal(err)
		}
		typed := app.Orchestrations()
		events := record(tb, typed, shape.orchestration, shape.sample)
		data := history.Encode(events)
		all = append(all, stored{shape.name, len(events), func(tb testing.TB) {
			decoded, err := history.Decode(data)
			if err != nil {
				tb.Fatal(err)
			}
			replayOnce(tb, typed, decoded)
		}})
	}
	return all
}
