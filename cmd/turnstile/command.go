package main

import (
	"context"

	flag "github.com/spf13/pflag"
)

// command describes a command. Its cobra command, its help and its section of docs/cli.md are
// generated from it.
type command struct {
	// name in one or two words: "start", "dead-letter list".
	name string
	// also lists words that users may try instead of the name; an error suggests the name.
	also []string
	// operands are the operands in its usage line: "INSTANCE", "INSTANCE…".
	operands string
	// least and most bound the number of operands; most is -1 for any number.
	least, most int
	// short is the line in the list of commands, long the text of its help.
	short, long string
	// examples are complete command lines.
	examples []string
	// payload is the flag with the JSON that the command sends, which users may type as an
	// operand by mistake; empty if it has none.
	payload string
	// offline commands need no stack, and do not have the flags that name one.
	offline bool
	// placeless commands have the flags that name a target, but send it no request.
	placeless bool
	// words completes its next operand; nil for no completion.
	words completer
	// declare declares its flags and returns the function to run after they are parsed.
	declare func(*cli, *flag.FlagSet) action
}

type action func(ctx context.Context, operands []string) error

// group is a titled part of the list of commands.
type group struct {
	title    string
	commands []*command
}

func (cmd *command) checkOperands(operands []string) error {
	switch n := len(operands); {
	case n < cmd.least:
		return usagef("%s needs %s", cmd.name, cmd.operands)
	case cmd.most >= 0 && n > cmd.most && cmd.most == 0:
		return usagef("%s takes no operands, not %q", cmd.name, operands[0])
	case cmd.most >= 0 && n == cmd.most+1 && cmd.payload != "":
		return usagef("%s takes only %s: pass the data as --%s '%s'", cmd.name, cmd.operands, cmd.payload, operands[cmd.most])
	case cmd.most >= 0 && n > cmd.most:
		return usagef("%s takes only %s: unexpected operand %q", cmd.name, cmd.operands, operands[cmd.most])
	}
	return nil
}
