package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"
)

// errNoCommand: the command line names none.
var errNoCommand = errors.New("no command")

// tree returns the commands as cobra takes them. ran is told which of ours was
// found, as soon as that is known.
func (c *cli) tree(ran func(*command)) *cobra.Command {
	root := &cobra.Command{
		Use: "turnstile", SilenceErrors: true, SilenceUsage: true, Version: versionLine(),
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(*cobra.Command, []string) error { return errNoCommand },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	c.settings.declare(root.PersistentFlags())
	completeFlags(c, root, root.PersistentFlags())
	root.Flags().Bool("version", false, "print the version of this command")
	root.SetFlagErrorFunc(flagError)
	of := map[*cobra.Command]*command{}
	groups := map[string]*cobra.Command{}
	for _, cmd := range commands() {
		first, second, two := strings.Cut(cmd.name, " ")
		parent := root
		if two {
			if parent = groups[first]; parent == nil {
				parent = c.groupOf(first)
				groups[first] = parent
				root.AddCommand(parent)
			}
			first = second
		}
		leaf := c.leaf(first, cmd, ran)
		of[leaf] = cmd
		parent.AddCommand(leaf)
	}
	root.SetHelpFunc(func(found *cobra.Command, _ []string) {
		if cmd := of[found]; cmd != nil {
			c.help(c.out, cmd)
			return
		}
		c.overview(c.out)
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "say more about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			if slices.Equal(args, []string{flagsTopic}) {
				c.helpFlags(c.out)
				return nil
			}
			return helpOn(root, args)
		},
		ValidArgsFunction: func(at *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			under, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			offered := listed(under)
			if under == root {
				offered = append(offered, flagsTopic)
			}
			return oneOf(offered...)(at.Context(), c, nil, prefix)
		},
	})
	return root
}

// leaf is a command that runs.
func (c *cli) leaf(use string, cmd *command, ran func(*command)) *cobra.Command {
	leaf := &cobra.Command{Use: use, Short: cmd.short, SuggestFor: cmd.also, DisableFlagsInUseLine: true, Args: cobra.ArbitraryArgs}
	run := cmd.declare(c, leaf.Flags())
	leaf.PreRun = func(*cobra.Command, []string) { ran(cmd) }
	leaf.SetFlagErrorFunc(func(at *cobra.Command, err error) error {
		ran(cmd)
		return flagError(at, err)
	})
	leaf.RunE = func(at *cobra.Command, operands []string) error {
		if err := errors.Join(c.settings.check(), cmd.checkOperands(operands)); err != nil {
			return err
		}
		if !cmd.offline && !cmd.placeless {
			if err := c.resolve(); err != nil {
				return err
			}
		}
		return run(at.Context(), operands)
	}
	leaf.ValidArgsFunction = func(at *cobra.Command, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if cmd.words == nil || cmd.most >= 0 && len(operands) >= cmd.most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return cmd.words(at.Context(), c, operands, prefix)
	}
	completeFlags(c, leaf, leaf.Flags())
	return leaf
}

// groupOf is the first word of commands that have two.
func (c *cli) groupOf(word string) *cobra.Command {
	return &cobra.Command{Use: word, Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		var names []string
		for _, cmd := range commands() {
			if first, second, two := strings.Cut(cmd.name, " "); two && first == word {
				names = append(names, second)
			}
		}
		if len(args) == 0 {
			return usagef("%s needs one of %s after it", word, strings.Join(names, ", "))
		}
		return usagef("there is no command %q%s: %s has %s", word+" "+args[0], suggested(meant(args[0], names)), word, strings.Join(names, ", "))
	}}
}

// helpOn shows the help of a command.
func helpOn(root *cobra.Command, args []string) error {
	found, rest, err := root.Find(args)
	if len(args) == 0 {
		return root.Help()
	}
	if err != nil || found == root || len(rest) > 0 && found.HasSubCommands() {
		return unknownCommand(root, strings.Join(args, " "))
	}
	return found.Help()
}

// unknownCommand says which commands are near.
func unknownCommand(root *cobra.Command, name string) error {
	word, _, _ := strings.Cut(name, " ")
	return usagef("there is no command %q%s", name, suggested(nearCommands(root, word)))
}

// nearCommands are the commands whose name, or a word for which they stand, is
// near.
func nearCommands(root *cobra.Command, word string) []string {
	for _, sub := range root.Commands() {
		for _, also := range sub.SuggestFor {
			if strings.EqualFold(also, word) {
				return []string{sub.Name()}
			}
		}
	}
	return meant(word, listed(root))
}

// listed are the names of the commands under one.
func listed(under *cobra.Command) []string {
	var names []string
	for _, sub := range under.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// firstWord is the first of the arguments that is neither a flag of every command
// nor the value of one.
func firstWord(root *cobra.Command, args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
		name := strings.TrimLeft(arg, "-")
		if f := root.PersistentFlags().Lookup(name); f != nil && f.NoOptDefVal == "" {
			i++ // Its value.
		}
	}
	return ""
}

// flagError says what is wrong with a flag, and which one may have been meant.
func flagError(at *cobra.Command, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if unknown, ok := errors.AsType[*flag.NotExistError](err); ok {
		var names []string
		at.Flags().VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		likely := meant(unknown.GetSpecifiedName(), names)
		for i := range likely {
			likely[i] = "--" + likely[i]
		}
		return usagef("there is no flag --%s%s", strings.TrimLeft(unknown.GetSpecifiedName(), "-"), suggested(likely))
	}
	if missing, ok := errors.AsType[*flag.ValueRequiredError](err); ok {
		return usagef("--%s needs a value after it: %s", missing.GetSpecifiedName(), flagValue(missing.GetFlag()))
	}
	if invalid, ok := errors.AsType[*flag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		var why string
		switch f.Value.Type() {
		case "int", "int64":
			why = "it is not a whole number"
		case "duration":
			why = "it is not a length of time, such as 90s, 5m or 1h30m"
		case "bool":
			why = "it is true or false, and left out means true"
		default:
			why = errors.Unwrap(err).Error()
		}
		return usagef("--%s %q: %s", f.Name, invalid.GetValue(), why)
	}
	return usagef("%v", err)
}

// flagValue is what a flag takes, as its help names it.
func flagValue(f *flag.Flag) string {
	name, usage := flag.UnquoteUsage(f)
	return fmt.Sprintf("%s: %s", name, usage)
}
