package main

import (
	"fmt"
	"io"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// overview prints the list of commands.
func (c *cli) overview(w io.Writer) {
	fmt.Fprint(w, `Turnstile on the command line: durable orchestrations on AWS Lambda.

  turnstile [--context NAME | --stack NAME] COMMAND [flags] [operands]

`)
	screen := c.screen(w)
	for _, g := range groups() {
		fmt.Fprintln(w, screen.In(term.Bold, g.title))
		t := plain.NewTable()
		for _, cmd := range g.commands {
			t.Row(fmt.Sprintf("  %-19s", cmd.name), fmt.Sprintf("%-14s", cmd.operands), cmd.short)
		}
		t.Print(w)
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, `  turnstile --stack turnstile list --status stuck
  turnstile context add prod --stack shop --region eu-central-1 --use
  eval "$(localstack/local.sh env)" && turnstile list

Exit status: 0 done, 1 failed, 2 usage error, 3 not found,
4 the instance did not complete, 5 timed out, 130 interrupted (docs/cli.md).
Run turnstile help COMMAND for the details of a command, and turnstile help flags for its
target and its keys. See docs/troubleshooting.md for stuck instances and dead letters.
`)
}

// help prints the usage of a command.
func (c *cli) help(w io.Writer, cmd *command) {
	usage := "turnstile " + cmd.name
	if cmd.operands != "" {
		usage += " " + cmd.operands
	}
	fmt.Fprintf(w, "%s\n\n  %s [flags]\n\n%s\n", cmd.short, usage, cmd.long)

	own, common := flagsOf(cmd)
	printFlags(w, "Flags:", own)
	printUsual(w, common)
	if len(cmd.examples) > 0 {
		fmt.Fprintln(w, "\nExamples:")
		for _, example := range cmd.examples {
			fmt.Fprintln(w, "  "+example)
		}
	}
}

// flagsTopic is an operand of help that is not a command.
const flagsTopic = "flags"

// usual lists the common flags that the help of each command names in one line.
var usual = []string{"context", "stack", "local", "output"}

// printUsual prints the names of the usual flags.
func printUsual(w io.Writer, common *flag.FlagSet) {
	var names []string
	for _, name := range usual {
		if f := common.Lookup(name); f != nil {
			value, _ := flag.UnquoteUsage(f)
			names = append(names, strings.TrimSpace("--"+name+" "+value))
		}
	}
	fmt.Fprintf(w, "\nFlags of every command: %s\n  (`turnstile help %s` lists the others and explains the target of a command)\n", strings.Join(names, ", "), flagsTopic)
}

// helpFlags prints the common flags and explains how a command finds its target and keys.
func (c *cli) helpFlags(w io.Writer) {
	all := flag.NewFlagSet("", flag.ContinueOnError)
	(&settings{output: outputText, color: string(term.ColoursAuto)}).declare(all)
	fmt.Fprintln(w, "flags of every command")
	printFlags(w, "Flags of every command:", all)
	fmt.Fprint(w, `
Commands that need no stack take only --output and --color.

A command works on the target that one of these flags names:
  --local            the program that turnstile dev runs in this folder or a parent folder
  --console URL      the target of this console
  --stack NAME       the CloudFormation stack, found by its outputs
  --context NAME     a context saved by turnstile context add
You can pass only one of them. Without any, the command works on the first of these:
  variables          $TURNSTILE_CONTEXT, $TURNSTILE_CONSOLE_URL, $TURNSTILE_STACK, or the variables
                     that localstack/local.sh env prints, which are the stack's outputs:
                     OrchestratorQueueUrl is TURNSTILE_ORCHESTRATOR_QUEUE_URL
  turnstile dev      the program that it runs in this folder or a parent folder
  current context    the context of turnstile context use
For a stack, credentials, region and AWS_ENDPOINT_URL come from the AWS configuration, as in other
AWS tools; --region and --profile override it.

Payloads that a codec has encoded or encrypted are decoded for display, and payloads that you send
are encoded, with the keys in --key-file, in $TURNSTILE_KEY_FILE or, as text, in $TURNSTILE_KEYS.
Each line has a codec's name and 32 bytes in base64 or hex. The first line's codec encodes; all of
them decode. gzip alone needs no key.
  gzip+aesgcm:2026-11 y0VI9…=
  aesgcm:2026-10 5Kd0u…=
`)
}

// flagsOf returns the flags of a command: its own and the common ones.
func flagsOf(cmd *command) (own, common *flag.FlagSet) {
	own, common = flag.NewFlagSet(cmd.name, flag.ContinueOnError), flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	cmd.declare(&cli{}, own)
	(&settings{output: outputText, color: string(term.ColoursAuto)}).declare(common)
	if cmd.offline {
		all := common
		common = flag.NewFlagSet(cmd.name, flag.ContinueOnError)
		for _, name := range []string{"output", "color"} {
			common.AddFlag(all.Lookup(name))
		}
	}
	return own, common
}

// defaultText returns the default of a flag for its help, unless the text already contains it.
func defaultText(f *flag.Flag, text string) string {
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
		return ""
	}
	if strings.Contains(text, "default") {
		return ""
	}
	return " (default " + f.DefValue + ")"
}

func printFlags(w io.Writer, title string, flags *flag.FlagSet) {
	t := plain.NewTable()
	none := true
	flags.VisitAll(func(f *flag.Flag) {
		none = false
		value, text := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		t.Row("  --"+f.Name+value, text+defaultText(f, text))
	})
	if none {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	t.Print(w)
}

// paragraph joins lines of text.
func paragraph(lines ...string) string { return strings.Join(lines, "\n") }
