// Command soak runs many schedules of the simulation.
//
//	go run ./simulation/cmd/soak -n 100000        # seeds 1 to 100000
//	go run ./simulation/cmd/soak -seed 4711       # one seed, with its story
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile/simulation"
)

func main() {
	n := flag.Int("n", 10_000, "how many schedules to run")
	from := flag.Uint64("from", 1, "first seed")
	seed := flag.Uint64("seed", 0, "run this seed alone and print its story")
	parallel := flag.Int("parallel", runtime.GOMAXPROCS(0), "how many run side by side")
	most := flag.Int("failures", 10, "stop after so many failures")
	quiet := flag.Bool("quiet", false, "print the seeds of failures without their stories")
	flag.Parse()
	if *seed != 0 {
		r := simulation.Run(*seed, true)
		fmt.Println(r.Story)
		fmt.Println("faults:", r.Faults)
		if r.Failed() {
			fmt.Println(r.Text())
			os.Exit(1)
		}
		return
	}
	if !soak(*from, *n, *parallel, *most, *quiet) {
		os.Exit(1)
	}
}

// soak runs seeds and reports whether all went well.
func soak(from uint64, n, parallel, most int, quiet bool) bool {
	began := time.Now()
	var next atomic.Uint64
	var mu sync.Mutex
	faults, counts := map[string]int{}, map[string]int{}
	ran, steps, commits, failures := 0, 0, 0, 0
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for {
				i := next.Add(1) - 1
				mu.Lock()
				stop := i >= uint64(n) || failures >= most
				mu.Unlock()
				if stop {
					return
				}
				r := simulation.Run(from+i, false)
				mu.Lock()
				ran++
				steps += r.Steps
				commits += r.Commits
				for k, v := range r.Faults {
					faults[k] += v
				}
				for k, v := range r.Counts {
					counts[k] += v
				}
				if r.Failed() {
					failures++
					fmt.Println(r.Text())
					if !quiet {
						again := simulation.Run(from+i, true)
						fmt.Println(again.Story)
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	fmt.Printf("%d schedules from seed %d in %s, %.0f a second; %d steps, %d commits, %d failures\n",
		ran, from, took.Round(time.Millisecond), float64(ran)/took.Seconds(), steps, commits, failures)
	fmt.Println("faults:")
	for _, k := range slices.Sorted(maps.Keys(faults)) {
		fmt.Printf("  %-18s %d\n", k, faults[k])
	}
	fmt.Println("told by the host:")
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("  %-40s %d\n", k, counts[k])
	}
	return failures == 0
}
