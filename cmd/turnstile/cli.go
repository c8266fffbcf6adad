package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/deadletter"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// cli is everything that a command touches, so that tests can hand in their
// own.
type cli struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	// open returns what the commands work on; it makes no request yet.
	open func(*settings) backend
	// poll is how long a look into a dead-letter queue waits for a message:
	// SQS asks all its servers only if it may wait.
	poll time.Duration

	settings settings
}

// backend opens what the commands work on, once it is needed.
type backend interface {
	// Client speaks to instances.
	Client(ctx context.Context) (*client.Client, error)
	// Queues are those that dead letters stand in and go back to.
	Queues(ctx context.Context) (deadletter.Queues, error)
	// Console is what the console shows besides instances; poll is how long a
	// look into a dead-letter queue waits for a message.
	Console(ctx context.Context, poll time.Duration) ([]console.Option, error)
}

// settings are the flags that every command has.
type settings struct {
	stack, region, profile string
	keyFile                string
	output                 string
	getenv                 func(string) string
}

const (
	outputText = "text"
	outputJSON = "json"
)

func (s *settings) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.stack, "stack", s.stack, "`NAME` of the CloudFormation stack; default $TURNSTILE_STACK, else the TURNSTILE_ variables say where things are")
	flags.StringVar(&s.region, "region", s.region, "AWS `REGION`; default as the SDK finds it")
	flags.StringVar(&s.profile, "profile", s.profile, "AWS `PROFILE`; default as the SDK finds it")
	flags.StringVar(&s.keyFile, "key-file", s.keyFile, "`FILE` with the keys of sealed payloads; default $TURNSTILE_KEY_FILE, else the keys in $TURNSTILE_KEYS")
	flags.StringVar(&s.output, "output", s.output, "`FORMAT` to print: text or json")
}

func (s *settings) check() error {
	if s.output != outputText && s.output != outputJSON {
		return usagef("--output %q: text or json", s.output)
	}
	return nil
}

// usageError says that the command line is not one that is taken.
type usageError struct{ problem string }

func (e *usageError) Error() string { return e.problem }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run runs the command line and returns the exit status. What was asked for
// goes to out, all else to err.
func (c *cli) run(ctx context.Context, args []string) int {
	c.settings = settings{stack: c.getenv("TURNSTILE_STACK"), output: outputText, getenv: c.getenv}
	cmd, err := c.dispatch(ctx, args)
	var usage *usageError
	var invalid *turnstile.InvalidNameError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		if cmd == nil {
			c.overview(c.out)
		} else {
			c.help(c.out, cmd)
		}
		return exitOK
	case errors.Is(err, errNoCommand):
		c.overview(c.err)
		return exitUsage
	case errors.As(err, &usage), errors.As(err, &invalid):
		fmt.Fprintf(c.err, "turnstile: %s\n", message(err))
		about := ""
		if cmd != nil {
			about = " " + cmd.name
		}
		fmt.Fprintf(c.err, "Run `turnstile help%s` for what it takes.\n", about)
		return exitUsage
	}
	fmt.Fprintf(c.err, "turnstile: %s\n", message(err))
	if hint := hint(err); hint != "" {
		fmt.Fprintf(c.err, "%s\n", hint)
	}
	return exitFailed
}

// message is an error's text without the prefix that this command puts before
// every one.
func message(err error) string {
	return printableLines(strings.TrimPrefix(err.Error(), "turnstile: "))
}

var errNoCommand = errors.New("no command")

// dispatch finds the command, reads its flags and runs it. The command is
// returned as far as it was found.
func (c *cli) dispatch(ctx context.Context, args []string) (*command, error) {
	top := newFlags("turnstile")
	c.settings.declare(top)
	if err := parseFlags(top, args); err != nil {
		return nil, err
	}
	args = top.Args()
	if len(args) == 0 {
		return nil, errNoCommand
	}
	if args[0] == "help" {
		if len(args) == 1 {
			return nil, flag.ErrHelp
		}
		cmd, _, err := find(args[1:])
		if err != nil {
			return nil, err
		}
		return cmd, flag.ErrHelp
	}
	cmd, args, err := find(args)
	if err != nil {
		return nil, err
	}
	flags := newFlags(cmd.name)
	c.settings.declare(flags)
	action := cmd.declare(c, flags)
	operands, err := parseMixed(flags, args)
	if err != nil {
		return cmd, err
	}
	if err := errors.Join(c.settings.check(), cmd.checkOperands(operands)); err != nil {
		return cmd, err
	}
	return cmd, action(ctx, operands)
}

func (c *cli) client(ctx context.Context) (*client.Client, error) {
	return c.open(&c.settings).Client(ctx)
}

func (c *cli) json() bool { return c.settings.output == outputJSON }
