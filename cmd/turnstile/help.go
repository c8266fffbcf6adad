package main

import (
	"fmt"
	"io"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// overview prints what there is.
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
turnstile help COMMAND says more; turnstile help flags says where a command works, and
how keys are given. What to do about an instance that is stuck or a message that was
given up is in docs/troubleshooting.md.
`)
}

// help prints what a command takes.
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

// flagsTopic is what help takes in place of a command.
const flagsTopic = "flags"

// usual are the flags of every command that stand on the page of each, in a line.
var usual = []string{"context", "stack", "local", "output"}

// printUsual prints the names of the usual flags of every command.
func printUsual(w io.Writer, common *flag.FlagSet) {
	var names []string
	for _, name := range usual {
		if f := common.Lookup(name); f != nil {
			value, _ := flag.UnquoteUsage(f)
			names = append(names, strings.TrimSpace("--"+name+" "+value))
		}
	}
	fmt.Fprintf(w, "\nFlags of every command: %s\n  (`turnstile help %s` has the others, and says where a command works)\n", strings.Join(names, ", "), flagsTopic)
}

// helpFlags prints the flags of every command, and which place they name.
func (c *cli) helpFlags(w io.Writer) {
	all := flag.NewFlagSet("", flag.ContinueOnError)
	(&settings{output: outputText, color: string(term.ColoursAuto)}).declare(all)
	fmt.Fprintln(w, "the flags of every command")
	printFlags(w, "Flags of every command:", all)
	fmt.Fprint(w, `
Commands that need no stack take --output and --color alone of these.

A command works on the first of
  --local            the program that turnstile dev runs in this folder, or in one above it
  --console URL      what this console shows
  --stack NAME       the outputs of this CloudFormation stack
  --context NAME     a place kept by turnstile context add, or $TURNSTILE_CONTEXT
  variables          $TURNSTILE_CONSOLE_URL, $TURNSTILE_STACK, or those that localstack/local.sh
                     env prints, which are the outputs too: OrchestratorQueueUrl is
                     TURNSTILE_ORCHESTRATOR_QUEUE_URL
  turnstile dev      where it runs in this folder, or in one above it
  the current        context, that of turnstile context use
On a stack, credentials, region and AWS_ENDPOINT_URL are found as by every tool of AWS;
--region and --profile choose others.

Payloads that a codec has sealed are shown, and those that are sent are sealed, with
the keys of --key-file, $TURNSTILE_KEY_FILE or, as text, $TURNSTILE_KEYS: a line each,
the codec's mark and 32 bytes in base64 or hex. The first line's codec seals, all of
them open; gzip alone needs no key.
  gzip+aesgcm:2026-11 y0VI9…=
  aesgcm:2026-10 5Kd0u…=
`)
}

// flagsOf are the flags of a command, its own and those of every command.
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

// defaultText is what a flag has where it is not given, if its text does not say so.
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

// paragraph joins the lines of a text in source.
func paragraph(lines ...string) string { return strings.Join(lines, "\n") }
