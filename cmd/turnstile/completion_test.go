package main

import (
	"strings"
	"testing"
)

// offers returns the words that a shell would offer behind a command line.
func (b *bench) offers(args ...string) []string {
	b.t.Helper()
	r := b.run(append([]string{"__complete"}, args...)...)
	if r.status != exitOK {
		b.t.Errorf("completing %s: exit status %d: %s", strings.Join(args, " "), r.status, r.err)
	}
	var out []string
	for line := range strings.Lines(r.out) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, ":") {
			out = append(out, line)
		}
	}
	return out
}

func TestAShellIsOfferedWhatThereIs(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	for _, c := range []struct{ name, line, want string }{
		{"commands", "des", "describe\tshow the state of an instance"},
		{"commands of two words", "dead-letter re", "redrive\tsend dead letters back to their queue"},
		{"instances, with what they are", "describe order-2", "order-2\tFulfil, stuck"},
		{"not one that stands there", "cancel order-2 order-2", ""},
		{"those that can be ended", "cancel order-", "order-2\tFulfil, stuck|order-4\tFulfil, corrupt"},
		{"a corrupt one cannot be terminated", "terminate order-", "order-2\tFulfil, stuck"},
		{"one instance where one is taken", "describe order-1 order", ""},
		{"no event's name", "raise order-2 app", ""},
		{"orchestrations", "start Su", "Survey"},
		{"statuses", "list --status c", "corrupt|completed|cancelled"},
		{"names", "list --name F", "Fulfil"},
		{"formats", "list --output=j", "json"},
		{"queues", "dead-letter list --queue dead-", "dead-fifo"},
		{"flags", "list --sta", "--stack\tNAME|--status"},
		{"shells", "completion z", "zsh"},
		{"commands to help with", "help terminat", "terminate"},
		{"no id for what is started", "start Fulfil --instance order", ""},
	} {
		got := strings.Join(b.offers(strings.Split(c.line, " ")...), "|")
		if c.name == "flags" {
			if !strings.HasPrefix(got, "--stack\t") || !strings.Contains(got, "|--status\t") {
				t.Errorf("%s: `turnstile %s` offers %q", c.name, c.line, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: `turnstile %s` offers %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

func TestAShellIsTroubledByNoError(t *testing.T) {
	t.Parallel()
	if r := runOn(t, &cloud{}, nil, "__complete", "describe", ""); r.status != exitOK || strings.Contains(r.err, "no stack: pass") {
		t.Errorf("%+v", r)
	}
}

func TestEveryShellHasACompletionScript(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, shell := range shells {
		if out := b.ok("completion", shell); !strings.Contains(out, "turnstile") || !strings.Contains(out, "__complete") {
			t.Errorf("%s gets\n%s", shell, out)
		}
	}
	b.fails(exitUsage, []string{`not "bsh"`, "did you mean bash"}, "completion", "bsh")
	b.fails(exitUsage, []string{"completion needs SHELL"}, "completion")
}
