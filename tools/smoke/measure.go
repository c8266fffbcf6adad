package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// chainTimes are those of a chain of activities, by its history: what a step
// takes is from the turn that schedules it to the turn that records its
// result.
type chainTimes struct {
	steps  int
	total  time.Duration
	first  time.Duration // with the starts of both functions, if they were cold
	median time.Duration
	most   time.Duration
}

func (c chainTimes) String() string {
	return fmt.Sprintf("%d steps in %s; a step takes %s (median; the first %s, the slowest %s)", c.steps, c.total, c.median, c.first, c.most)
}

func measureChain(events []history.Event) (chainTimes, error) {
	if len(events) == 0 {
		return chainTimes{}, errors.New("its history is empty")
	}
	scheduled := map[int64]int64{}
	var steps []time.Duration
	for _, e := range events {
		switch e.Kind {
		case history.ActivityScheduled:
			scheduled[e.EventID] = e.AtMS
		case history.ActivityCompleted:
			steps = append(steps, time.Duration(e.AtMS-scheduled[e.SourceEventID])*time.Millisecond)
		}
	}
	if len(steps) == 0 {
		return chainTimes{}, errors.New("its history has no completed activity")
	}
	last := events[len(events)-1]
	c := chainTimes{steps: len(steps), total: time.Duration(last.AtMS-events[0].AtMS) * time.Millisecond, first: steps[0]}
	slices.Sort(steps)
	c.median, c.most = steps[len(steps)/2], steps[len(steps)-1]
	return c, nil
}
