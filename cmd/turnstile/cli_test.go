package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func epochNow() time.Time { return epoch }

func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	overview := b.ok("help")
	golden(t, "help.txt", overview)
	for _, cmd := range commands() {
		if !strings.Contains(overview, "  "+cmd.name+" ") || !strings.Contains(overview, cmd.short) {
			t.Errorf("the list of commands does not have %s", cmd.name)
		}
		words := strings.Fields(cmd.name)
		help := b.ok(append([]string{"help"}, words...)...)
		if help != b.ok(append(words, "--help")...) {
			t.Errorf("`help %s` and `%s --help` differ", cmd.name, cmd.name)
		}
		if cmd.name != "version" && !strings.Contains(help, "\nExamples:\n  turnstile "+cmd.name) {
			t.Errorf("%s has no example:\n%s", cmd.name, help)
		}
		for line := range strings.Lines(help) {
			if len([]rune(line)) > 160 {
				t.Errorf("%s: the line is too long: %s", cmd.name, line)
			}
		}
	}
	golden(t, "help-flags.txt", b.ok("help", "flags"))
	golden(t, "help-redrive.txt", b.ok("help", "dead-letter", "redrive"))
	golden(t, "help-start.txt", b.ok("start", "-h"))
	if b.ok("--help") != overview || b.ok("dead-letter", "--help") != overview {
		t.Error("--help differs from help")
	}
}

// read finds the command of a command line and reads its flags, without running it.
func read(line string) (cmd *command, operands []string, err error) {
	c := &cli{settings: settings{output: outputText}}
	root := c.tree(func(*command) {})
	root.InitDefaultHelpCmd()
	found, rest, err := root.Find(words(line))
	if err == nil {
		err = found.ParseFlags(rest)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, cmd := range commands() {
		if cmd.name == strings.TrimPrefix(found.CommandPath(), "turnstile ") {
			return cmd, found.Flags().Args(), nil
		}
	}
	if found.CommandPath() == "turnstile" && found.Flags().Changed("version") || strings.HasPrefix(line, "help") {
		return nil, nil, nil
	}
	return nil, nil, fmt.Errorf("%q is no command", found.CommandPath())
}

// The examples are command lines that are taken.
func TestTheExamplesOfHelpAreRead(t *testing.T) {
	t.Parallel()
	for _, cmd := range commands() {
		for _, example := range cmd.examples {
			line, _, _ := strings.Cut(strings.TrimPrefix(example, "turnstile "), " > ")
			line, _, _ = strings.Cut(line, " | ")
			found, operands, err := read(line)
			if err == nil {
				err = found.checkOperands(operands)
			}
			if err != nil {
				t.Errorf("%s: %v", example, err)
			} else if found.name != cmd.name && !strings.Contains(example, "|") {
				t.Errorf("%s is an example of %s, and runs %s", example, cmd.name, found.name)
			}
		}
	}
}

func TestAnInvalidCommandLineExitsWithStatus2(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ args, says string }{
		{"", "COMMAND"}, {"frob", `unknown command "frob"`}, {"help frob", `unknown command "frob"`},
		{"describe", "describe needs INSTANCE"}, {"describe a b", `unexpected operand "b"`},
		{"describe a --frob", "--frob"}, {"--frob", "--frob"}, {"list --limit x", "whole number"},
		{"--output yaml list", "text, json"}, {"describe a --output xml", "text, json"},
		{"start", "start needs NAME"}, {"raise a", "raise needs INSTANCE EVENT"}, {"wake", "wake needs INSTANCE"},
	} {
		b.fails(exitUsage, []string{c.says}, strings.Fields(c.args)...)
	}
}

func TestFlagsMayBeAnywhereBeforeTwoDashes(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	want := b.ok("describe", "order-1", "--output", "json")
	for _, args := range []string{"--output json describe order-1", "describe --output=json order-1", "describe --output json -- order-1"} {
		if got := b.ok(strings.Fields(args)...); got != want {
			t.Errorf("%s prints\n%s", args, got)
		}
	}
	b.fails(exitNotFound, []string{`no instance "--output"`}, "describe", "--", "--output")
}

// The outputs and variables are those of the template.
func TestTheTemplateHasEveryAddress(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, outputs, _ := strings.Cut(string(template), "\nOutputs:\n")
	for _, a := range allAddresses() {
		if !strings.Contains(outputs, "\n  "+a.Output+":\n") && !strings.HasPrefix(outputs, "  "+a.Output+":\n") {
			t.Errorf("template.yaml has no output %s", a.Output)
		}
		// localstack/local.sh env makes variables of outputs so.
		words := regexp.MustCompile(`[A-Z][a-z]+`).FindAllString(a.Output, -1)
		if want := "TURNSTILE_" + strings.ToUpper(strings.Join(words, "_")); a.Variable != want {
			t.Errorf("the variable of %s is %s, want %s", a.Output, a.Variable, want)
		}
	}
}
