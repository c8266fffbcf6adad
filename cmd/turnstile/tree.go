package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"
)

// errNoCommand reports a command line without a command.
var errNoCommand = errors.New("no command")

// tree returns the cobra commands. It calls ran with the command that the command line names.
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
		Use: "help [COMMAND]", Short: "show the help of a command",
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

// leaf returns the cobra command of cmd.
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
		if cmd.operands == manyInstances && slices.Contains(operands, piped) {
			if len(operands) > 1 {
				return usagef("- reads ids from standard input: it cannot be combined with other instances")
			}
			ids, err := c.readIDs()
			if err != nil {
				return err
			}
			if operands = ids; len(ids) == 0 {
				fmt.Fprintln(c.err, "standard input has no ids: nothing was done")
				return nil
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

// groupOf returns the parent command for commands of two words.
func (c *cli) groupOf(word string) *cobra.Command {
	return &cobra.Command{Use: word, Args: cobra.ArbitraryArgs, RunE: func(_ *cobra.Command, args []string) error {
		var names []string
		for _, cmd := range commands() {
			if first, second, two := strings.Cut(cmd.name, " "); two && first == word {
				names = append(names, second)
			}
		}
		if len(args) == 0 {
			return usagef("%s needs a command: one of %s", word, strings.Join(names, ", "))
		}
		return usagef("unknown command %q%s: %s has %s", word+" "+args[0], suggested(meant(args[0], names)), word, strings.Join(names, ", "))
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

// unknownCommand returns the error for an unknown command, with suggestions.
func unknownCommand(root *cobra.Command, name string) error {
	word, _, _ := strings.Cut(name, " ")
	return usagef("unknown command %q%s", name, suggested(nearCommands(root, word)))
}

// nearCommands returns the commands whose name or alternative name is close to word.
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

// listed returns the names of the visible subcommands.
func listed(under *cobra.Command) []string {
	var names []string
	for _, sub := range under.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// firstWord returns the first argument that is neither a common flag nor its value.
func firstWord(root *cobra.Command, args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
		name := strings.TrimLeft(arg, "-")
		if f := root.PersistentFlags().Lookup(name); f != nil && f.NoOptDefVal == "" {
			i++ // Skip its value.
		}
	}
	return ""
}

// flagError returns the usage error for a flag, with suggestions for an unknown name.
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
		hint := suggested(likely)
		if hint == "" {
			hint = "; write an operand that starts with a dash after --"
		}
		return usagef("unknown flag --%s%s", strings.TrimLeft(unknown.GetSpecifiedName(), "-"), hint)
	}
	if missing, ok := errors.AsType[*flag.ValueRequiredError](err); ok {
		return usagef("--%s needs a value: %s", missing.GetSpecifiedName(), flagValue(missing.GetFlag()))
	}
	if invalid, ok := errors.AsType[*flag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		var why string
		switch f.Value.Type() {
		case "int", "int64":
			why = "it must be a whole number"
		case "duration":
			why = "it must be a duration, such as 90s, 5m or 1h30m"
		case "bool":
			why = "it must be true or false"
		default:
			why = errors.Unwrap(err).Error()
		}
		return usagef("--%s %q: %s", f.Name, invalid.GetValue(), why)
	}
	return usagef("%v", err)
}

// flagValue returns the name of a flag's value with its text.
func flagValue(f *flag.Flag) string {
	name, usage := flag.UnquoteUsage(f)
	return fmt.Sprintf("%s: %s", name, usage)
}
