package main

// groups returns the commands in the order of the list.
func groups() []group {
	return []group{
		{"Start instances and send to them", []*command{startCommand(), raiseCommand(), updateCommand(), completeCommand(), failCommand(), heartbeatCommand()}},
		{"Inspect", []*command{listCommand(), failuresCommand(), describeCommand(), historyCommand(), timelineCommand(), attemptsCommand(), diffCommand(), watchCommand(), waitCommand(), stateCommand(), queryCommand(), metricsCommand(), costCommand()}},
		{"Control and repair", append(actCommands(), rescheduleCommand(), redriveCommand(), restartCommand(), purgeCommand(),
			deadLetterListCommand(), deadLetterShowCommand(), deadLetterRedriveCommand(), deadLetterDeleteCommand())},
		{"Schedules", []*command{scheduleListCommand(), scheduleShowCommand(), scheduleCreateCommand(), schedulePauseCommand(), scheduleResumeCommand(),
			scheduleTriggerCommand(), scheduleBackfillCommand(), scheduleDeleteCommand()}},
		{"Limits", []*command{limitListCommand(), limitShowCommand(), limitSetCommand(), limitResetCommand(), limitFirstCommand()}},
		{"Run the stack", []*command{doctorCommand(), pauseCommand(), unpauseCommand(), restoreCommand(), consoleCommand(), mcpCommand()}},
		{"Develop", []*command{newCommand(), devCommand(), replayCommand(), lintCommand(), templateUpgradeCommand(), queueAddCommand(), queueRemoveCommand(), skillCommand()}},
		{"This command", []*command{contextListCommand(), contextAddCommand(), contextUseCommand(), contextRemoveCommand(), completionCommand(), versionCommand()}},
	}
}

// commands returns all commands.
func commands() []*command {
	var all []*command
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
}
