package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("smoke", flag.ContinueOnError)
	name := flags.String("stack", "", "name of the stack (required)")
	steps := flags.Int("steps", 40, "activities in the chain")
	timer := flags.Duration("timer", 0, "how long the timer is; 0 for the shortest that goes through Scheduler")
	patience := flags.Duration("patience", 5*time.Minute, "how long each check may take, the timer's own time apart")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *name == "" || *steps < 1 || flags.NArg() > 0 {
		flags.Usage()
		return errors.New("give the stack: -stack NAME")
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("AWS configuration: %w", err)
	}
	s, err := describeStack(ctx, cfg, *name)
	if err != nil {
		return err
	}
	if *timer == 0 {
		*timer = s.shortestScheduled()
	}
	fmt.Fprintf(out, "stack %s in %s: a chain of %d activities, a timer of %s, a query and an event\n", *name, cfg.Region, *steps, *timer)
	return runChecks(ctx, out, *patience, []check{
		{"chain", 0, func(ctx context.Context) (string, error) { return s.chain(ctx, *steps) }},
		{"event", 0, s.event},
		{"timer", *timer, func(ctx context.Context) (string, error) { return s.timer(ctx, *timer) }},
	})
}

// check is one thing to try. It returns what it measured.
type check struct {
	name string
	// takes is how long it takes at least.
	takes time.Duration
	run   func(context.Context) (string, error)
}

// runChecks runs the checks side by side and prints each as it ends.
func runChecks(ctx context.Context, out io.Writer, patience time.Duration, checks []check) error {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed int
	)
	for _, c := range checks {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, c.takes+patience)
			defer cancel()
			measured, err := c.run(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Fprintf(out, "%-6s FAILED  %v\n", c.name, err)
				return
			}
			fmt.Fprintf(out, "%-6s ok      %s\n", c.name, measured)
		})
	}
	wg.Wait()
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}
