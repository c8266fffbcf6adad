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
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// completer returns what a shell offers for a word that begins with prefix, behind
// the operands that stand there already.
type completer func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective)

const (
	// offered is how many instances are looked at to complete a word.
	offered = 100
	// longestOffer is how long a shell waits for that.
	longestOffer = 3 * time.Second
)

// offering bounds what completes a word.
func (c *cli) offering(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(c.offers, longestOffer))
}

// oneOf offers fixed words.
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

// files offers files.
func files(context.Context, *cli, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// folders offers folders.
func folders(context.Context, *cli, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// instances offers ids of the newest instances, with the name of the orchestration
// and the status beside each. Those that stand there already are left out.
func instanceIDs(statuses ...client.Status) completer {
	return func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, d := range c.newest(ctx, statuses) {
			if strings.HasPrefix(d.Instance, prefix) && !slices.Contains(operands, d.Instance) {
				out = append(out, printable.Line(d.Instance)+"\t"+printable.Line(d.Name)+", "+string(d.Status))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// firstInstance offers an instance as the first operand, and nothing behind it.
func firstInstance(statuses ...client.Status) completer {
	of := instanceIDs(statuses...)
	return func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(operands) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return of(ctx, c, operands, prefix)
	}
}

// names offers the names of orchestrations that the newest instances have.
func names(ctx context.Context, c *cli, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, d := range c.newest(ctx, nil) {
		if name := printable.Line(d.Name); strings.HasPrefix(name, prefix) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, cobra.ShellCompDirectiveNoFileComp
}

// newest are the newest instances, of each status that is asked for. A shell that
// completes a word is told nothing of what went wrong: it has nowhere to show it.
func (c *cli) newest(ctx context.Context, statuses []client.Status) []client.Description {
	ctx, cancel := c.offering(ctx)
	defer cancel()
	if c.resolve() != nil {
		return nil
	}
	cl, err := c.client(ctx)
	if err != nil {
		return nil
	}
	if len(statuses) == 0 {
		statuses = []client.Status{""}
	}
	var all []client.Description
	for _, status := range statuses {
		page, err := cl.List(ctx, client.ListQuery{Status: status, PageSize: offered})
		if err != nil {
			return nil
		}
		all = append(all, page.Instances...)
	}
	return all
}

// notEnded are the statuses of instances that can be spoken to.
var notEnded = []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusCorrupt}

// flagWords are what a shell offers for the values of flags, by their names. A flag
// that is not here takes what nobody can guess.
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
			of = nil // A new id.
		}
		// Registering fails for a flag that is not there, and this one is.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(at *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if of == nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return of(at.Context(), c, nil, prefix)
		})
	})
}
