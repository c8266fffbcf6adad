package main

import (
	"context"

	flag "github.com/spf13/pflag"
)

// command is one command of the command line, from which its cobra command, its
// help and its page of docs/cli.md are made.
type command struct {
	// name in one or two words: "start", "dead-letter list".
	name string
	// also are words that somebody may try instead of the name.
	also []string
	// operands as they stand in its usage: "INSTANCE", "INSTANCE…".
	operands string
	// least and most operands; most is -1 for any number.
	least, most int
	// short is a line for the list of commands, long says more.
	short, long string
	// examples are complete command lines.
	examples []string
	// payload is the flag with the JSON that it sends, which some type as an operand; empty if
	// it has none.
	payload string
	// offline: it needs no stack, so that the flags that name one are not its own.
	offline bool
	// placeless: it has the flags that name a place, and does not work on one.
	placeless bool
	// words are what a shell offers for its next operand; nil for nothing.
	words completer
	// declare declares its flags and returns what runs once they are read.
	declare func(*cli, *flag.FlagSet) action
}

type action func(ctx context.Context, operands []string) error

// group is a part of the list of commands.
type group struct {
	title    string
	commands []*command
}

// groups are the commands in the order in which they are listed.
func groups() []group {
	return []group{
		{"Start and speak to instances", []*command{startCommand(), raiseCommand(), completeCommand(), failCommand(), heartbeatCommand()}},
		{"Look", []*command{listCommand(), failuresCommand(), describeCommand(), historyCommand(), timelineCommand(), attemptsCommand(), diffCommand(), watchCommand(), waitCommand(), costCommand()}},
		{"Put right", []*command{wakeCommand(), suspendCommand(), resumeCommand(), rescheduleCommand(), fireCommand(), retryCommand(), cancelCommand(), terminateCommand(), redriveCommand(), rerunCommand(), purgeCommand(),
			deadLetterListCommand(), deadLetterShowCommand(), deadLetterRedriveCommand(), deadLetterDeleteCommand()}},
		{"Schedules", []*command{scheduleListCommand(), scheduleShowCommand(), scheduleCreateCommand(), schedulePauseCommand(), scheduleResumeCommand(),
			scheduleTriggerCommand(), scheduleBackfillCommand(), scheduleDeleteCommand()}},
		{"Limits over instances", []*command{limitListCommand(), limitShowCommand(), limitSetCommand(), limitResetCommand(), limitFirstCommand()}},
		{"Run the stack", []*command{doctorCommand(), pauseCommand(), unpauseCommand(), consoleCommand(), mcpCommand()}},
		{"Develop", []*command{newCommand(), devCommand(), replayCommand(), lintCommand(), templateUpgradeCommand(), queueAddCommand(), queueRemoveCommand(), skillCommand()}},
		{"This command", []*command{contextListCommand(), contextAddCommand(), contextUseCommand(), contextRemoveCommand(), completionCommand(), versionCommand()}},
	}
}

// commands are all of them.
func commands() []*command {
	var all []*command
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
}

func (cmd *command) checkOperands(operands []string) error {
	switch n := len(operands); {
	case n < cmd.least:
		return usagef("%s needs %s", cmd.name, cmd.operands)
	case cmd.most >= 0 && n > cmd.most && cmd.most == 0:
		return usagef("%s takes no operands, not %q", cmd.name, operands[0])
	case cmd.most >= 0 && n == cmd.most+1 && cmd.payload != "":
		return usagef("%s takes only %s: give its data as --%s '%s'", cmd.name, cmd.operands, cmd.payload, operands[cmd.most])
	case cmd.most >= 0 && n > cmd.most:
		return usagef("%s takes only %s: %q is too much", cmd.name, cmd.operands, operands[cmd.most])
	}
	return nil
}
