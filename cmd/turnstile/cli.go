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

// cli is everything that a command touches, so that tests can hand in their
// own.
type cli struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	// open returns what the commands work on; it makes no request yet.
	open func(*backend.Settings) backend.Backend
	// poll is how long a look into a dead-letter queue waits for a message:
	// SQS asks all its servers only if it may wait.
	poll time.Duration
	// person says of a writer whether somebody reads it at a terminal, and in how
	// many columns; nil looks.
	person func(w io.Writer) (columns int, is bool)

	// answers says whether somebody can be asked on in; nil looks.
	answers func() bool
	// pause waits for a time, and reports false if the context ended first; nil for
	// the wall clock.
	pause func(ctx context.Context, d time.Duration) bool
	// offers is how long a shell waits for the words that it offers; 0 for longestOffer.
	offers time.Duration

	settings settings
}

// settings are the flags that every command has.
type settings struct {
	backend.Settings
	// context is the name of a kept place; resolve takes what it stands for.
	context string
	// given reports whether a flag stands on the command line.
	given         func(flag string) bool
	output, color string
}

const (
	outputText = "text"
	outputJSON = "json"
)

// colours are when there are any.
var colours = []string{string(term.ColoursAuto), string(term.ColoursAlways), string(term.ColoursNever)}

func (s *settings) declare(flags *flag.FlagSet) {
	s.given = flags.Changed
	flags.StringVar(&s.context, "context", s.context, "`NAME` of a place kept by turnstile context add; default $TURNSTILE_CONTEXT, otherwise the current one")
	flags.StringVar(&s.Stack, "stack", s.Stack, "`NAME` of the CloudFormation stack; default $TURNSTILE_STACK, otherwise the TURNSTILE_ variables")
	flags.BoolVar(&s.Local, "local", false, "the program that turnstile dev runs in this folder, or in one above it")
	flags.StringVar(&s.Console, "console", s.Console, "`URL` of a console that acts for this command, such as that of a program of yours; default $TURNSTILE_CONSOLE_URL")
	flags.StringVar(&s.Region, "region", s.Region, "AWS `REGION`; default as the SDK finds it")
	flags.StringVar(&s.Profile, "profile", s.Profile, "AWS `PROFILE`; default as the SDK finds it")
	flags.StringVar(&s.KeyFile, "key-file", s.KeyFile, "`FILE` with the keys of sealed payloads; default $TURNSTILE_KEY_FILE, otherwise the keys in $TURNSTILE_KEYS")
	flags.StringVar(&s.output, "output", s.output, "`FORMAT` to print: text, or the JSON of the console's API: json")
	flags.StringVar(&s.color, "color", s.color, "`WHEN` to use colours: auto (at a terminal, unless NO_COLOR is set), always, never")
}

// declareActor declares the flag of commands whose requests are recorded.
func (s *settings) declareActor(flags *flag.FlagSet) {
	flags.StringVar(&s.Actor, "actor", s.Actor, "`NAME` of the person or service that asks, for the history; default $TURNSTILE_ACTOR")
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

// run runs the command line and returns the exit status. What was asked for
// goes to out, all else to err.
func (c *cli) run(ctx context.Context, args []string) int {
	c.settings = settings{
		Settings: backend.Settings{Stack: c.getenv("TURNSTILE_STACK"), Console: c.getenv("TURNSTILE_CONSOLE_URL"), Actor: c.getenv("TURNSTILE_ACTOR"), Getenv: c.getenv},
		context:  c.getenv(contextVariable),
		output:   outputText, color: string(term.ColoursAuto),
	}
	about := ""
	root := c.tree(func(found *command) { about = " " + found.name })
	root.SetArgs(append([]string{}, args...))
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	found, err := root.ExecuteContextC(ctx)
	if word := firstWord(root, args); err != nil && found == root && word != "" && word != "help" {
		err = unknownCommand(root, word)
	}
	if errors.Is(err, errNoCommand) {
		c.overview(c.err)
		return exitUsage
	}
	status := statusOf(ctx, err)
	switch status {
	case exitOK:
	case exitUsage:
		fmt.Fprintf(c.err, "turnstile: %s\nRun `turnstile help%s` for what it takes.\n", plain.Message(err), about)
	default:
		to := c.screen(c.err)
		fmt.Fprintf(c.err, "%s %s\n", to.In(term.Red, "turnstile:"), plain.Message(err))
		if hint := advice.Of(err); hint != "" {
			fmt.Fprintf(c.err, "%s\n", hint)
		}
	}
	return status
}

// screen is where a writer leads.
func (c *cli) screen(w io.Writer) *term.Screen {
	s := term.New(w, term.Colours(c.settings.color), c.getenv)
	if c.person != nil {
		if columns, is := c.person(w); is {
			s = term.Fixed(w, columns, term.Colours(c.settings.color), c.getenv)
		}
	}
	return &s
}

// asks reports whether somebody can be asked something.
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
