// Command turnstile starts, inspects and repairs orchestration instances on a deployed stack, in
// LocalStack or in a local program. Run
//
//	turnstile help
//
// for its commands. Its exit status is 0 if the command succeeded, 1 if it failed, and 2 if the
// command line is invalid; docs/cli.md lists the others.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/lint"
)

func main() {
	if isVetTool(os.Args[1:]) {
		unitchecker.Main(lint.Analyzer)
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, and subscribing to it would undo that.
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	c := cli{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv: os.Getenv, now: time.Now, open: backend.Open,
		poll: time.Second,
	}
	status := c.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
