package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/contexts"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// Environment variables for contexts.
const (
	contextVariable  = "TURNSTILE_CONTEXT"
	contextsVariable = "TURNSTILE_CONTEXTS"
)

func contextListCommand() *command {
	return &command{
		name: "context list", also: []string{"contexts", "env", "profile", "server"}, most: 0, offline: true,
		short:    "list contexts, which are saved names of stacks and servers",
		long:     "Lists the contexts saved on this machine. An asterisk marks the current one.",
		examples: []string{"turnstile context list", "turnstile context list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(context.Context, []string) error {
				_, all, err := c.allContexts()
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
		short: "save a stack or a server under a name",
		long: paragraph(
			"Saves --stack (with --region and --profile) or --console under NAME, and the path of",
			"--key-file. --context NAME, or $TURNSTILE_CONTEXT, then replaces these flags. Contexts are",
			"stored in turnstile/contexts.json in your configuration folder. The file contains no keys and",
			"no credentials. The command makes no request."),
		examples: []string{
			"turnstile context add prod --stack shop --region eu-central-1 --profile ops --use",
			"turnstile context add till --console http://127.0.0.1:8876/",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			use := flags.Bool("use", false, "make it the current context")
			update := flags.Bool("update", false, "change the existing context NAME")
			return func(_ context.Context, operands []string) error {
				return c.addContext(operands[0], *use, *update)
			}
		},
	}
}

// addContext saves the flags as a context. It does not save environment variables, which may
// have other values when the context is used.
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
		return usagef("a context cannot be named %q: use at most 64 letters, digits, dots, - and _", name)
	case c.settings.Local:
		return usagef("a context cannot save --local, which depends on the folder: pass --stack or --console")
	case (one.Stack == "") == (one.Console == ""):
		return usagef("a context needs either --stack or --console")
	case one.Console != "" && one.Region+one.Profile != "":
		return usagef("--region and --profile can only be used with --stack")
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
	file, all, err := c.allContexts()
	if err != nil {
		return err
	}
	if there := slices.ContainsFunc(all, func(other contexts.Context) bool { return other.Name == name }); there && !update {
		return usagef("context %q already exists: --update changes it", name)
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
			"A command works on the current context if no flag and no variable names a target, and no",
			"turnstile dev runs in the folder of the command. --none unsets the current context."),
		examples: []string{"turnstile context use prod", "turnstile context use --none"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			none := flags.Bool("none", false, "unset the current context")
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
		short: "remove a context", long: "Removes the saved context. The stack or server is not affected.",
		examples: []string{"turnstile context remove till"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(_ context.Context, operands []string) error {
				return c.changeContext(operands[0], contexts.File.Remove)
			}
		},
	}
}

func (c *cli) changeContext(name string, change func(contexts.File, string) error) error {
	file, all, err := c.allContexts()
	if err != nil {
		return err
	}
	if err := change(file, name); !errors.Is(err, contexts.ErrUnknown) {
		return err
	}
	return c.noContext(name, all)
}

// contexts returns the file of the contexts.
func (c *cli) contexts() (contexts.File, error) {
	if file := c.getenv(contextsVariable); file != "" {
		return contexts.File(file), nil
	}
	return contexts.OfUser()
}

// allContexts returns the file with its contexts.
func (c *cli) allContexts() (file contexts.File, all []contexts.Context, err error) {
	if file, err = c.contexts(); err == nil {
		all, err = file.All()
	}
	return file, all, err
}

// contextNames completes names of contexts.
func contextNames(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	_, all, err := c.allContexts()
	if err != nil { // A shell cannot show an error.
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
	return usagef("context %q does not exist%s", name, suggested(meant(name, namesOf(all))))
}

// resolve sets the target of the command in the settings and clears all others. At most one flag
// may name the target. Without a flag, the first of these names it: $TURNSTILE_CONTEXT, another
// variable, a running `turnstile dev` of this folder, the current context. The flags --region,
// --profile and --key-file override those of a context.
func (c *cli) resolve() error {
	if err := c.choose(); err != nil {
		return err
	}
	s := &c.settings
	if (s.Local || s.Console != "") && (s.given("region") || s.given("profile")) {
		return usagef("--region and --profile apply to a stack, but this command works on %s", s.Where())
	}
	return nil
}

func (c *cli) choose() error {
	s := &c.settings
	var flags []string
	if s.Local {
		flags = append(flags, "--local")
	}
	for _, flag := range []struct{ name, value string }{{"console", s.Console}, {"stack", s.Stack}, {"context", s.context}} {
		if s.given(flag.name) && flag.value == "" {
			return usagef("--%s is empty: it must name a target", flag.name)
		}
		if s.given(flag.name) {
			flags = append(flags, "--"+flag.name)
		}
	}
	name := s.context
	switch {
	case len(flags) > 1:
		return usagef("%s each name a target: pass only one of them", strings.Join(flags, " and "))
	case s.Local:
		s.Console, s.Stack = "", ""
		return nil
	case s.given("console"):
		s.Stack = ""
		return nil
	case s.given("stack"):
		s.Console = ""
		return nil
	case name != "":
	case s.Console != "":
		s.Stack = ""
		return nil
	case s.Stack != "" || s.Getenv(address.OrchestratorURL.Variable) != "":
		return nil
	}
	if name == "" {
		if _, err := backend.DevAddress(); err == nil {
			return nil
		}
	}
	file, err := c.contexts()
	if err != nil && name == "" {
		return nil // A machine without a configuration folder has no current context.
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
