package workloads

import (
	"fmt"
	"strconv"

	"github.com/turnstile-go/turnstile"
)

// FanOutFanIn says hello to so many at once, and waits for all of them.
var FanOutFanIn = turnstile.NewOrchestration[int, string]("FanOutFanIn")

func fanOutFanIn(ctx turnstile.Context, count int) (string, error) {
	greetings := make([]turnstile.Future[string], count)
	for i := range greetings {
		greetings[i] = SayHello.Start(ctx, strconv.Itoa(i))
	}
	all, err := turnstile.Join(ctx, greetings...)
	return fmt.Sprintf("%d tasks completed.", len(all)), err
}
