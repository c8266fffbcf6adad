package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
)

// cli holds everything that a command uses from outside, so that tests can replace it.
type cli struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	// open returns the backend that the commands use. It makes no request.
	open func(*backend.Settings) backend.Backend
	// poll is how long a read of a dead-letter queue waits for a message. SQS queries all its
	// servers only with a wait time.
	poll time.Duration
	// person reports whether a writer is a terminal, and its width in columns. If nil, the
	// writer is inspected.
	person func(w io.Writer) (columns int, is bool)

	// answers reports whether a question can be asked on in. If nil, in is inspected.
	answers func() bool
	// pause waits for d and reports false if the context ended first; nil for the wall clock.
	pause func(ctx context.Context, d time.Duration) bool
	// offers is how long completion may take; 0 for longestOffer.
	offers time.Duration

	settings settings
	// idsRead reports that instance ids were read from standard input.
	idsRead bool
}

// settings are the flags of every command.
type settings struct {
	backend.Settings
	// context is the name of a saved context; resolve replaces it by its settings.
	context string
	// given reports whether a flag is set on the command line.
	given         func(flag string) bool
	output, color string
}

const (
	outputText = "text"
	outputJSON = "json"
)

// colours are the values of --color.
var colours = []string{string(term.ColoursAuto), string(term.ColoursAlways), string(term.ColoursNever)}

func (s *settings) declare(flags *flag.FlagSet) {
	s.given = flags.Changed
	flags.StringVar(&s.context, "context", s.context, "`NAME` of a context saved by turnstile context add; default $TURNSTILE_CONTEXT, otherwise the current context")
	flags.StringVar(&s.Stack, "stack", s.Stack, "`NAME` of the CloudFormation stack; default $TURNSTILE_STACK, otherwise the other TURNSTILE_ variables")
	flags.BoolVar(&s.Local, "local", false, "the program that turnstile dev runs in this folder or a parent folder")
	flags.StringVar(&s.Console, "console", s.Console, "`URL` of a console to send requests to, such as your program's; default $TURNSTILE_CONSOLE_URL")
	flags.StringVar(&s.Region, "region", s.Region, "AWS `REGION`; default from the AWS configuration")
	flags.StringVar(&s.Profile, "profile", s.Profile, "AWS `PROFILE`; default from the AWS configuration")
	flags.StringVar(&s.KeyFile, "key-file", s.KeyFile, "`FILE` with the keys of encrypted payloads; default $TURNSTILE_KEY_FILE, otherwise the keys in $TURNSTILE_KEYS")
	flags.StringVar(&s.output, "output", s.output, "output `FORMAT`: text, or json, the JSON of the console's API")
	flags.StringVar(&s.color, "color", s.color, "`WHEN` to use colours: auto (on a terminal, unless NO_COLOR is set), always, never")
}

// declareActor declares --actor, for commands whose requests are recorded in the history.
func (s *settings) declareActor(flags *flag.FlagSet) {
	flags.StringVar(&s.Actor, "actor", s.Actor, "`NAME` of the requester, recorded in the history; default $TURNSTILE_ACTOR")
}

func (s *settings) check() error {
	if formats := []string{outputText, outputJSON}; !slices.Contains(formats, s.output) {
		return notOneOf("output", s.output, formats)
	}
	if !slices.Contains(colours, s.color) {
		return notOneOf("color", s.color, colours)
	}
	return nil
}

func usagef(format string, args ...any) error {
	return usage.Errorf(format, args...)
}

// run runs the command line and returns the exit status. It writes results to out, and
// messages and errors to err.
func (c *cli) run(ctx context.Context, args []string) int {
	c.settings = settings{
		Settings: backend.Settings{Stack: c.getenv("TURNSTILE_STACK"), Console: c.getenv("TURNSTILE_CONSOLE_URL"), Actor: c.getenv("TURNSTILE_ACTOR"), Getenv: c.getenv},
		context:  c.getenv(contextVariable),
		output:   outputText, color: string(term.ColoursAuto),
	}
	about := ""
	working, stop := context.WithCancel(ctx)
	defer stop()
	// A write error ends the command, even one that prints until it is interrupted.
	out := term.NewOutput(c.out, stop)
	c.out = out
	root := c.tree(func(found *command) { about = " " + found.name })
	root.SetArgs(append([]string{}, args...))
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	found, err := root.ExecuteContextC(working)
	if word := firstWord(root, args); err != nil && found == root && word != "" && word != "help" {
		err = unknownCommand(root, word)
	}
	if errors.Is(err, errNoCommand) {
		c.overview(c.err)
		return exitUsage
	}
	status := statusOf(ctx, err)
	if unwritten := out.Err(); unwritten != nil && status != exitUsage {
		status, err = exitFailed, fmt.Errorf("writing the result to standard output: %w", unwritten)
	}
	switch status {
	case exitOK:
	case exitUsage:
		fmt.Fprintf(c.err, "turnstile: %s\nRun `turnstile help%s` for usage.\n", plain.Message(err), about)
	default:
		to := c.screen(c.err)
		fmt.Fprintf(c.err, "%s %s\n", to.In(term.Red, "turnstile:"), plain.Message(err))
		if hint := advice.Of(err); hint != "" {
			fmt.Fprintf(c.err, "%s\n", hint)
		}
	}
	return status
}

// screen returns the terminal, or the pipe or file, that a writer writes to.
func (c *cli) screen(w io.Writer) *term.Screen {
	s := term.New(w, term.Colours(c.settings.color), c.getenv)
	if c.person != nil {
		if columns, is := c.person(w); is {
			s = term.Fixed(w, columns, term.Colours(c.settings.color), c.getenv)
		}
	}
	return &s
}

// asks reports whether the command can ask the user a question.
func (c *cli) asks() bool {
	if c.answers != nil {
		return c.answers()
	}
	return term.IsTerminal(c.in) && term.IsTerminal(c.err)
}

func (c *cli) backend() backend.Backend { return c.open(&c.settings.Settings) }

func (c *cli) client(ctx context.Context) (backend.Instances, error) {
	return c.backend().Instances(ctx)
}

func (c *cli) json() bool { return c.settings.output == outputJSON }
