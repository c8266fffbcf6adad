// Command turnstile starts orchestrations, looks at them and puts right what
// went wrong, on a deployed stack or on one in LocalStack. Run
//
//	turnstile help
//
// for its commands. Its exit status is 0 when it did what it was asked, 1 when
// that failed, and 2 when the command line is not one that it takes.
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := cli{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv: os.Getenv, now: time.Now, open: backend.Open,
		poll: time.Second,
	}
	status := c.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
