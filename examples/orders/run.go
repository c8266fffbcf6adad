package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/examples/orders/tracking"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/livetrace"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the order failed, or did not end in time
	exitUsage  = 2
)

// run is the command, with its inputs and outputs as parameters.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) int {
	f, err := parse(args, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(out, "orders:", err)
		return exitUsage
	}

	start := time.Now()
	var options []embedded.Option
	if f.virtual {
		start = time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)
		options = append(options, embedded.WithVirtualTime(start))
	}
	if f.console {
		options = append(options, embedded.WithConsole(f.addr))
	}
	show := livetrace.New(out, livetrace.WithStart(start))
	options = append(options, embedded.WithObserver(show), embedded.WithLogger(slog.New(show.LogHandler(slog.LevelInfo))),
		embedded.OnDeadLetter(func(m host.DeadLetter) { show.DeadLetter(m.Body, m.Reason) }))
	app := turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(orders.Simulated(f.latency, f.pickUp))))
	env, err := embedded.New(app, options...)
	if err != nil {
		fmt.Fprintln(out, "orders:", err)
		return exitFailed
	}
	var tracked string
	if f.console {
		url, end, err := serve(tracking.Handler(env.Client()))
		if err != nil {
			fmt.Fprintln(out, "orders:", err)
			return exitFailed
		}
		defer end()
		tracked = url
	}
	title(out, f, env.ConsoleURL(), tracked)

	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	// The order and its approval are scheduled before anything runs, so that virtual time cannot
	// pass them.
	code := exitDone
	order, forget, err := begin(ctx, env, f, show)
	defer forget()
	if err != nil {
		fmt.Fprintln(out, "orders:", err)
		code = exitFailed
	}
	go func() { ended <- env.Run(running) }()
	if order != nil {
		code = await(ctx, env, order, f, show)
	}
	if f.keep {
		keep(ctx, env, in, out, show)
	}
	if f.console && !f.keep && ctx.Err() == nil {
		show.Say(env.Now(), "", "the console stays until Ctrl-C: start another order there")
		<-ctx.Done()
	}
	stop()
	if err := <-ended; err != nil {
		fmt.Fprintln(out, "orders:", err)
		return exitFailed
	}
	return code
}

// begin starts the order, and schedules its approval; forget cancels the approval.
func begin(ctx context.Context, env *embedded.Runtime, f flags, show *livetrace.Trace) (order *client.Run[orders.Result], forget func() bool, err error) {
	forget = func() bool { return false }
	order, err = client.Start(ctx, env.Client(), orders.Fulfil, f.order, client.WithInstanceID(f.instance))
	if err != nil {
		return nil, forget, err
	}
	if f.approve {
		forget = env.AfterFunc(f.approveAfter, func() {
			show.Say(env.Now(), f.instance, "Grace approves: event \"approved\" raised")
			err := client.Raise(ctx, env.Client(), orders.Approved, f.instance, orders.Approval{By: "Grace", Approved: true}, client.WithDeduplicationID("approval-"+f.order.ID))
			if err != nil {
				show.Say(env.Now(), f.instance, err.Error())
			}
		})
	}
	return order, forget, nil
}

// await waits for the order and shows its outcome.
func await(ctx context.Context, env *embedded.Runtime, order *client.Run[orders.Result], f flags, show *livetrace.Trace) int {
	if !f.keep && !f.console {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.limit)
		defer stop()
	}
	_, err := order.Wait(ctx)
	d, described := env.Client().Describe(context.WithoutCancel(ctx), order.Instance)
	if described != nil {
		show.Say(env.Now(), order.Instance, errors.Join(err, described).Error())
		return exitFailed
	}
	show.Outcome(d)
	if _, gaveUp := errors.AsType[*client.WaitError](err); gaveUp {
		show.Say(env.Now(), order.Instance, err.Error())
	}
	if err != nil {
		return exitFailed
	}
	return exitDone
}

// keep sends every line of in to the queue, until in or ctx ends. After the end of in it waits
// until no instance is running.
func keep(ctx context.Context, env *embedded.Runtime, in io.Reader, out io.Writer, show *livetrace.Trace) {
	hint(out)
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, 2<<20)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case line, more := <-lines:
			if !more {
				// Returns when ctx ends if an instance waits for an event that is never raised.
				_ = env.Drain(ctx)
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if err := env.Send(ctx, line); err != nil {
				show.DeadLetter(line, err.Error())
			}
		}
	}
}
