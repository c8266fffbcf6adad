package main

import (
	"context"

	flag "github.com/spf13/pflag"
)

// shells lists the supported shells.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *command {
	return &command{
		name: "completion", operands: "SHELL", least: 1, most: 1, offline: true, words: oneOf(shells...),
		short: "print a shell completion script for commands, flags, instance ids and names",
		long: paragraph(
			"Prints a completion script for bash, zsh, fish or powershell. Load it in the shell's startup file:",
			"",
			"  bash        source <(turnstile completion bash)",
			"  zsh         source <(turnstile completion zsh)",
			"  fish        turnstile completion fish | source",
			"  powershell  turnstile completion powershell | Out-String | Invoke-Expression",
			"",
			"Instance ids and orchestration names are completed from the newest 100 instances of the stack.",
			"Each such completion makes a list request."),
		examples: []string{"turnstile completion bash"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(_ context.Context, operands []string) error {
				root := c.tree(func(*command) {})
				switch operands[0] {
				case "bash":
					return root.GenBashCompletionV2(c.out, true)
				case "zsh":
					return root.GenZshCompletion(c.out)
				case "fish":
					return root.GenFishCompletion(c.out, true)
				case "powershell":
					return root.GenPowerShellCompletionWithDesc(c.out)
				}
				return usagef("completion supports %s, not %q%s", "bash, zsh, fish and powershell", operands[0], suggested(meant(operands[0], shells)))
			}
		},
	}
}
