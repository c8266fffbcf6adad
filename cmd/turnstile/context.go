package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/contexts"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// Variables of contexts.
const (
	contextVariable  = "TURNSTILE_CONTEXT"
	contextsVariable = "TURNSTILE_CONTEXTS"
)

func contextListCommand() *command {
	return &command{
		name: "context list", also: []string{"contexts", "env", "profile", "server"}, most: 0, offline: true,
		short:    "list contexts, which are names for stacks and servers",
		long:     "Lists the contexts of this machine. A star marks the current one.",
		examples: []string{"turnstile context list", "turnstile context list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(context.Context, []string) error {
				all, err := c.allContexts()
				if err != nil {
					return err
				}
				if c.json() {
					return c.printJSON(all)
				}
				if len(all) == 0 {
					fmt.Fprintln(c.err, "no contexts: `turnstile context add NAME --stack NAME` adds one")
					return nil
				}
				t := term.NewTable("", "NAME", "PLACE", "REGION", "PROFILE", "KEY FILE").Cut(2)
				for _, one := range all {
					mark := ""
					if one.Current {
						mark = "*"
					}
					place := "stack " + one.Stack
					if one.Console != "" {
						place = one.Console
					}
					t.Row(term.Text(mark), term.Styled(term.Bold, one.Name), term.Text(place), term.Text(one.Region), term.Text(one.Profile), term.Text(one.KeyFile))
				}
				t.Print(c.screen(c.out))
				return nil
			}
		},
	}
}

func contextAddCommand() *command {
	return &command{
		name: "context add", operands: "NAME", least: 1, most: 1, placeless: true,
		short: "name a stack or a server",
		long: paragraph(
			"Keeps --stack, with --region and --profile, or --console under NAME, and the path of",
			"--key-file with it. --context NAME, or $TURNSTILE_CONTEXT, then stands for these flags.",
			"The file with the contexts, turnstile/contexts.json in your folder of settings, has no",
			"keys and no credentials. No request is made."),
		examples: []string{
			"turnstile context add prod --stack shop --region eu-central-1 --profile ops --use",
			"turnstile context add till --console http://127.0.0.1:8876/",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			use := flags.Bool("use", false, "make it the current context")
			update := flags.Bool("update", false, "change the context of this NAME")
			return func(_ context.Context, operands []string) error {
				return c.addContext(operands[0], *use, *update)
			}
		},
	}
}

// addContext keeps what the flags name. A variable is not kept: it may have another value
// when the context is used.
func (c *cli) addContext(name string, use, update bool) error {
	given := func(flag, value string) string {
		if !c.settings.given(flag) {
			return ""
		}
		return value
	}
	one := contexts.Context{
		Name: name, Stack: given("stack", c.settings.Stack), Region: given("region", c.settings.Region), Profile: given("profile", c.settings.Profile),
		Console: given("console", c.settings.Console), KeyFile: given("key-file", c.settings.KeyFile), Current: use,
	}
	switch {
	case !contexts.IsName(name):
		return usagef("a context cannot be named %q: its name has letters, digits, dots, - and _, at most 64", name)
	case c.settings.Local:
		return usagef("--local is the program of a folder: a context needs --stack or --console")
	case (one.Stack == "") == (one.Console == ""):
		return usagef("a context has either --stack or --console")
	case one.Console != "" && one.Region+one.Profile != "":
		return usagef("--region and --profile belong to --stack")
	}
	if one.Console != "" {
		if err := backend.CheckURL(one.Console); err != nil {
			return err
		}
	}
	if one.KeyFile != "" {
		path, err := filepath.Abs(one.KeyFile)
		if err != nil {
			return err
		}
		one.KeyFile = path
	}
	file, err := c.contexts()
	if err != nil {
		return err
	}
	all, err := file.All()
	if err != nil {
		return err
	}
	if there := slices.ContainsFunc(all, func(other contexts.Context) bool { return other.Name == name }); there && !update {
		return usagef("there is a context %q already: --update changes it", name)
	} else if !there && update {
		return c.noContext(name, all)
	}
	return file.Put(one)
}

func contextUseCommand() *command {
	return &command{
		name: "context use", operands: "NAME", most: 1, offline: true, words: contextNames,
		short: "make a context the current one",
		long: paragraph(
			"A command that names no place, by a flag or a variable, works on the current context,",
			"unless turnstile dev runs in its folder. --none leaves no context current."),
		examples: []string{"turnstile context use prod", "turnstile context use --none"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			none := flags.Bool("none", false, "leave no context current")
			return func(_ context.Context, operands []string) error {
				if (len(operands) == 1) == *none {
					return usagef("context use needs NAME, or --none")
				}
				name := ""
				if len(operands) == 1 {
					name = operands[0]
				}
				return c.changeContext(name, contexts.File.Use)
			}
		},
	}
}

func contextRemoveCommand() *command {
	return &command{
		name: "context remove", operands: "NAME", least: 1, most: 1, offline: true, words: contextNames,
		short: "remove a context", long: "Removes the name. Nothing happens to the stack or the server.",
		examples: []string{"turnstile context remove till"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(_ context.Context, operands []string) error {
				return c.changeContext(operands[0], contexts.File.Remove)
			}
		},
	}
}

func (c *cli) changeContext(name string, change func(contexts.File, string) error) error {
	file, err := c.contexts()
	if err != nil {
		return err
	}
	if err := change(file, name); !errors.Is(err, contexts.ErrUnknown) {
		return err
	}
	all, err := file.All()
	if err != nil {
		return err
	}
	return c.noContext(name, all)
}

// contexts is the file that they stand in.
func (c *cli) contexts() (contexts.File, error) {
	if file := c.getenv(contextsVariable); file != "" {
		return contexts.File(file), nil
	}
	return contexts.OfUser()
}

func (c *cli) allContexts() ([]contexts.Context, error) {
	file, err := c.contexts()
	if err != nil {
		return nil, err
	}
	return file.All()
}

// contextNames offers the names of contexts.
func contextNames(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	all, err := c.allContexts()
	if err != nil { // A shell has nowhere to show it.
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return oneOf(namesOf(all)...)(ctx, c, operands, prefix)
}

func namesOf(all []contexts.Context) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

func (c *cli) noContext(name string, all []contexts.Context) error {
	return usagef("there is no context %q%s", name, suggested(meant(name, namesOf(all))))
}

// resolve puts the place of a context into the settings, if one applies: that of --context; that of
// $TURNSTILE_CONTEXT, unless another flag names a place; the current one, if neither a flag nor
// a variable names a place and no `turnstile dev` runs in this folder. The flags --region,
// --profile and --key-file change what the context has.
func (c *cli) resolve() error {
	s := &c.settings
	named := s.Local || s.given("stack") || s.given("console")
	name := s.context
	switch {
	case s.given("context") && named:
		return usagef("--context names a place, and so do --stack, --console and --local: give one of them")
	case named:
		return nil
	case name == "" && (s.Stack != "" || s.Console != "" || s.Getenv(address.OrchestratorURL.Variable) != ""):
		return nil
	}
	if name == "" {
		if _, err := backend.DevAddress(); err == nil {
			return nil
		}
	}
	file, err := c.contexts()
	if err != nil && name == "" {
		return nil // A machine without a folder of settings has no current context.
	}
	if err != nil {
		return err
	}
	all, err := file.All()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(one contexts.Context) bool { return one.Name == name || name == "" && one.Current })
	switch {
	case at >= 0:
		one := all[at]
		s.Stack, s.Console = one.Stack, one.Console
		for _, of := range []struct {
			value *string
			kept  string
		}{{&s.Region, one.Region}, {&s.Profile, one.Profile}, {&s.KeyFile, one.KeyFile}} {
			if *of.value == "" {
				*of.value = of.kept
			}
		}
	case name != "":
		return c.noContext(name, all)
	}
	return nil
}
