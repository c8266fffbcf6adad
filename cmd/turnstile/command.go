package main

import (
	"context"
	"flag"
	"strings"
)

// command is one command of the command line.
type command struct {
	// name in one or two words: "start", "dead-letter list".
	name string
	// operands as they stand in its usage: "INSTANCE", "INSTANCE…".
	operands string
	// least and most operands; most is -1 for any number.
	least, most int
	// short is a line for the list of commands, long says more.
	short, long string
	// examples are complete command lines.
	examples []string
	// declare declares its flags and returns what runs once they are read.
	declare func(*cli, *flag.FlagSet) action
}

type action func(ctx context.Context, operands []string) error

// commands in the order of the list of commands.
func commands() []*command {
	return []*command{
		startCommand(), raiseCommand(), waitCommand(),
		describeCommand(), historyCommand(), listCommand(),
		wakeCommand(), cancelCommand(), terminateCommand(), purgeCommand(),
		deadLetterListCommand(), deadLetterShowCommand(), deadLetterRedriveCommand(), deadLetterDeleteCommand(),
		consoleCommand(), newCommand(), devCommand(), lintCommand(), versionCommand(),
	}
}

// find returns the command that args begin with, and the arguments behind it.
func find(args []string) (*command, []string, error) {
	word, group := args[0], false
	for _, cmd := range commands() {
		first, second, two := strings.Cut(cmd.name, " ")
		switch {
		case first != word:
		case !two:
			return cmd, args[1:], nil
		case len(args) > 1 && args[1] == second:
			return cmd, args[2:], nil
		default:
			group = true
		}
	}
	if !group {
		return nil, nil, usagef("there is no command %q", word)
	}
	if len(args) > 1 && isHelp(args[1]) {
		return nil, nil, flag.ErrHelp
	}
	var names []string
	for _, cmd := range commands() {
		if first, second, _ := strings.Cut(cmd.name, " "); first == word {
			names = append(names, second)
		}
	}
	return nil, nil, usagef("%s needs one of %s behind it", word, strings.Join(names, ", "))
}

func isHelp(word string) bool {
	return word == "-h" || word == "-help" || word == "--help" || word == "help"
}

func (cmd *command) checkOperands(operands []string) error {
	switch n := len(operands); {
	case n < cmd.least:
		return usagef("%s needs %s", cmd.name, cmd.operands)
	case cmd.most >= 0 && n > cmd.most && cmd.most == 0:
		return usagef("%s takes no operands, not %q", cmd.name, operands[0])
	case cmd.most >= 0 && n > cmd.most:
		return usagef("%s takes %s and no more: %q is too much", cmd.name, cmd.operands, operands[cmd.most])
	}
	return nil
}
