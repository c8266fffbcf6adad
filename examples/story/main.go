package story

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/turnstile-go/turnstile/embedded"
)

// Teller tells a story according to its flags.
type Teller struct {
	out            io.Writer
	console, turns bool
	addr           string
	pace           time.Duration
}

// Sample is a sample application: its name, its story, and how long a wait takes with -console.
type Sample struct {
	Name string
	Pace time.Duration
	Tell func(context.Context, *Teller) error
}

// Main is the main function of a sample.
func (s Sample) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // A second Ctrl-C ends the process immediately.
	os.Exit(s.Run(ctx, os.Args[1:], os.Stdout))
}

// Run tells the story and returns the exit status: 0, 1 if the story failed, 2 for invalid flags.
func (s Sample) Run(ctx context.Context, args []string, out io.Writer) int {
	t := &Teller{out: out}
	flags := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	flags.SetOutput(out)
	flags.BoolVar(&t.console, "console", false, "serve the console, and run slowly enough to follow there; ends with Ctrl-C")
	flags.StringVar(&t.addr, "addr", "", "address of the console, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any free port if that is in use")
	flags.BoolVar(&t.turns, "turns", false, "show each turn as it is committed; implied by -console")
	flags.DurationVar(&t.pace, "pace", s.Pace, "with -console: the longest duration of a wait")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(out, "%s: %q is not a flag; see -help\n", s.Name, flags.Arg(0))
		return 2
	}
	t.turns = t.turns || t.console
	if err := s.Tell(ctx, t); err != nil {
		fmt.Fprintf(out, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}
