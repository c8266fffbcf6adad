package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// completer returns the completions of a word that starts with prefix and follows operands.
type completer func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective)

const (
	// offered is the number of instances read to complete a word.
	offered = 100
	// longestOffer is the longest time that completion may take.
	longestOffer = 3 * time.Second
)

// known returns a completer that offers what list finds in the target, in that order. It drops words
// that are operands already, and errors, because a shell cannot show them.
func known(list func(ctx context.Context, cl backend.Instances, operands []string, offer func(word, about string))) completer {
	return func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.offers, longestOffer))
		defer cancel()
		if c.resolve() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		cl, err := c.client(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		seen := map[string]bool{}
		list(ctx, cl, operands, func(word, about string) {
			word = printable.Line(word)
			if seen[word] || !strings.HasPrefix(word, prefix) || slices.Contains(operands, word) {
				return
			}
			if seen[word] = true; about != "" {
				word += "\t" + printable.Line(about)
			}
			out = append(out, word)
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// inOrder returns a completer that completes each operand with its own completer, and no further ones.
func inOrder(of ...completer) completer {
	return func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(operands) >= len(of) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return of[len(operands)](ctx, c, operands, prefix)
	}
}

// oneOf completes from fixed words.
func oneOf(words ...string) completer {
	return func(_ context.Context, _ *cli, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, w := range words {
			if strings.HasPrefix(w, prefix) {
				out = append(out, w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// files completes file names.
func files(context.Context, *cli, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// folders completes folder names.
func folders(context.Context, *cli, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// instanceIDs completes ids of the newest instances of each of the statuses, each with its
// orchestration and status.
func instanceIDs(statuses ...client.Status) completer {
	if len(statuses) == 0 {
		statuses = []client.Status{""}
	}
	return known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
		for _, status := range statuses {
			page, _ := cl.List(ctx, client.ListQuery{Status: status, PageSize: offered})
			for _, d := range page.Instances {
				offer(d.Instance, d.Name+", "+string(d.Status))
			}
		}
	})
}

// firstInstance completes an instance id as the first operand, and no further operand.
func firstInstance(statuses ...client.Status) completer { return inOrder(instanceIDs(statuses...)) }

// notEnded lists the statuses of instances that have not ended.
var notEnded = []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusForking, client.StatusCorrupt}

// flagWords returns the completers of flag values by flag name. The values of all other flags
// cannot be completed.
func flagWords() map[string]completer {
	return map[string]completer{
		"context":  contextNames,
		"status":   oneOf(statuses()...),
		"name":     registered,
		"starts":   registered,
		"schedule": scheduleNames,
		"instance": instanceIDs(),
		"cause":    causes,
		"output":   oneOf(outputText, outputJSON),
		"color":    oneOf(colours...),
		"queue":    oneOf(deadletter.Final()...),
		"to":       oneOf(deadletter.Sources()...),
		"key-file": files, "data": folders, "replace": folders,
	}
}

func completeFlags(c *cli, cmd *cobra.Command, flags *flag.FlagSet) {
	words := flagWords()
	flags.VisitAll(func(f *flag.Flag) {
		if f.Value.Type() == "bool" || f.Name == "help" {
			return
		}
		of := words[f.Name]
		if cmd.Name() == "start" && f.Name == "instance" {
			of = nil // start takes a new id.
		}
		// Registering fails only for an undeclared flag.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(at *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if of == nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return of(at.Context(), c, nil, prefix)
		})
	})
}
