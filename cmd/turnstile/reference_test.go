package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	flag "github.com/spf13/pflag"
)

// The reference of docs/cli.md is what the commands say of themselves; -update
// rewrites it.
func TestTheReferenceIsWhatTheCommandsAre(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/cli.md", "<!-- reference: go test ./cmd/turnstile -run Reference -update -->\n", "<!-- end of the reference -->\n"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(data), begin)
	_, foot, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has lost the marks of its reference", file)
	}
	want := head + begin + reference() + end + foot
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Errorf("%s is not what the commands say: run go test ./cmd/turnstile -run Reference -update", file)
	}
}

// reference is the commands, their flags and the exit statuses in Markdown.
func reference() string {
	var b strings.Builder
	b.WriteString("\n## Exit statuses\n\n| status | meaning |\n| --- | --- |\n")
	for _, e := range exitMeanings {
		fmt.Fprintf(&b, "| %d | %s |\n", e.status, e.meaning)
	}
	b.WriteString("\n## Commands\n\n| command | |\n| --- | --- |\n")
	for _, g := range groups() {
		for _, cmd := range g.commands {
			fmt.Fprintf(&b, "| [`%s`](#turnstile-%s) | %s |\n", cmd.name, strings.ReplaceAll(cmd.name, " ", "-"), cell(cmd.short))
		}
	}
	_, common := flagsOf(listCommand())
	b.WriteString("\n### Flags of every command\n\n")
	flagTable(&b, common, nil)
	b.WriteString("\nCommands that need no stack take `--output` and `--color` alone of these.\n")
	many := flagsOfMany()
	fmt.Fprintf(&b, "\n### Flags that select many instances\n\n%s\n\n", markdown(bulkHelp))
	flagTable(&b, many, nil)
	for _, g := range groups() {
		for _, cmd := range g.commands {
			fmt.Fprintf(&b, "\n### turnstile %s\n\n", cmd.name)
			usage := strings.TrimSpace("turnstile " + cmd.name + " " + cmd.operands)
			long, isBulk := strings.ReplaceAll(cmd.long, bulkHelp, "Instead of instance ids, you can pass [flags that select many](#flags-that-select-many-instances)."), strings.Contains(cmd.long, bulkHelp)
			fmt.Fprintf(&b, "```\n%s [flags]\n```\n\n%s\n", usage, markdown(long))
			own, _ := flagsOf(cmd)
			said := many
			if !isBulk {
				said = nil
			}
			if own.HasFlags() {
				b.WriteString("\n")
				flagTable(&b, own, said)
			}
			if len(cmd.examples) > 0 {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.Join(cmd.examples, "\n"))
			}
		}
	}
	return b.String() + "\n"
}

// markdown sets what is laid out in columns apart.
func markdown(text string) string {
	var out []string
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		if block := strings.HasPrefix(line, "  "); block != inside {
			out, inside = append(out, "```"), block
		}
		out = append(out, line)
	}
	if inside {
		out = append(out, "```")
	}
	return regexp.MustCompile("```\n\n```\n").ReplaceAllString(strings.Join(out, "\n"), "")
}

// flagsOfMany are the flags that all commands on many instances have alike.
func flagsOfMany() *flag.FlagSet {
	var many *flag.FlagSet
	for _, g := range groups() {
		for _, cmd := range g.commands {
			if !strings.Contains(cmd.long, bulkHelp) {
				continue
			}
			own, _ := flagsOf(cmd)
			if many == nil {
				many = own
				continue
			}
			alike := flag.NewFlagSet("", flag.ContinueOnError)
			many.VisitAll(func(f *flag.Flag) {
				if other := own.Lookup(f.Name); other != nil && other.Usage == f.Usage {
					alike.AddFlag(f)
				}
			})
			many = alike
		}
	}
	return many
}

// flagTable leaves out the flags that are in said.
func flagTable(b *strings.Builder, flags, said *flag.FlagSet) {
	b.WriteString("| flag | |\n| --- | --- |\n")
	flags.VisitAll(func(f *flag.Flag) {
		if said != nil && said.Lookup(f.Name) != nil {
			return
		}
		value, text := flag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, cell(text+defaultText(f, text)))
	})
}

// cell is a text as it can stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
