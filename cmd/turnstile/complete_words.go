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

// offering returns the client of the target that the command line names so far, and a context
// that limits the time of its requests. Callers drop the error, because a shell cannot show it.
func (c *cli) offering(ctx context.Context) (context.Context, context.CancelFunc, backend.Instances, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.offers, longestOffer))
	if err := c.resolve(); err != nil {
		return ctx, cancel, nil, err
	}
	cl, err := c.client(ctx)
	return ctx, cancel, cl, err
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

// instanceIDs completes ids of the newest instances, each with its orchestration and status. It
// leaves out ids that are already operands.
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

// firstInstance completes an instance id as the first operand, and no further operand.
func firstInstance(statuses ...client.Status) completer {
	of := instanceIDs(statuses...)
	return func(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(operands) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return of(ctx, c, operands, prefix)
	}
}

// names completes the orchestration names of the newest instances.
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

// newest returns the newest instances of each of the statuses.
func (c *cli) newest(ctx context.Context, statuses []client.Status) []client.Description {
	ctx, cancel, cl, err := c.offering(ctx)
	defer cancel()
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
