package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// warnOfStart says what is odd about a start ahead of its sending. It may be right all
// the same: what is deployed next may have it. Where the code is not known nothing is
// said.
func (c *cli) warnOfStart(ctx context.Context, cl backend.Instances, r *client.StartRequest) {
	known, err := cl.Catalog(ctx)
	if err != nil || len(known.Orchestrations) == 0 {
		return
	}
	if !slices.ContainsFunc(known.Orchestrations, func(e api.CatalogEntry) bool { return e.Name == r.Name && (r.Version == "" || e.Version == r.Version) }) {
		fmt.Fprintf(c.err, "warning: no build has orchestration %s: the instance waits until one does%s\n", printable.Line(withVersion(r.Name, r.Version)), near.Hint(r.Name, entryNames(known.Orchestrations)))
		return
	}
	c.warnOfData(ctx, cl, "", api.Check{Kind: "orchestration", Name: r.Name, Version: r.Version, Data: string(r.Input)})
	for _, e := range r.Events {
		c.warnOfData(ctx, cl, "event "+e.Name+": ", api.Check{Kind: "event", Name: e.Name, Data: string(e.Data)})
	}
}

func (c *cli) warnOfData(ctx context.Context, cl backend.Instances, what string, check api.Check) {
	checked, err := cl.CheckData(ctx, check)
	if err != nil {
		return
	}
	for _, p := range checked.Problems {
		fmt.Fprintf(c.err, "warning: %s\n", printable.Line(what+p.Text))
	}
}

// warnOfRerun says what is odd about the input of reruns ahead of their sending.
func (c *cli) warnOfRerun(ctx context.Context, r *client.RerunRequest, instances []string) {
	cl, err := c.client(ctx)
	if err != nil {
		return // The rerun says so.
	}
	told := map[string]bool{}
	for _, instance := range instances {
		if d, err := cl.Describe(ctx, instance); err == nil && !told[d.Name] {
			told[d.Name] = true
			c.warnOfData(ctx, cl, "", api.Check{Kind: "orchestration", Name: d.Name, Version: r.Version, Data: string(r.Input)})
		}
	}
}

func entryNames(of []api.CatalogEntry) []string {
	out := make([]string, len(of))
	for i := range of {
		out[i] = of[i].Name
	}
	return out
}

// withVersion is a name with its version, as turnstile list shows them.
func withVersion(name, version string) string {
	if version == "" {
		return name
	}
	return name + " " + version
}

// registered offers the names of orchestrations that the code has, and those that the
// newest instances have.
func registered(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, directive := names(ctx, c, operands, prefix)
	known, _ := c.known(ctx)
	for _, e := range known.Orchestrations {
		if name := printable.Line(e.Name); strings.HasPrefix(name, prefix) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, directive
}

// raised offers an instance, then the events that it waits for, and then the others that the code
// has.
func raised(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) != 1 {
		return firstInstance(notEnded...)(ctx, c, operands, prefix)
	}
	ctx, cancel := c.offering(ctx)
	defer cancel()
	cl, err := c.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	offer := func(name string) {
		if name = printable.Line(name); strings.HasPrefix(name, prefix) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	waiting, err := cl.Waiting(ctx, operands[0])
	for _, o := range waiting.Open {
		if err == nil && o.Kind == history.ExternalSubscribed {
			offer(o.Name)
		}
	}
	if known, err := cl.Catalog(ctx); err == nil {
		for _, e := range known.Events {
			offer(e.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// known is what the code has. A shell that completes a word is told nothing of what
// went wrong.
func (c *cli) known(ctx context.Context) (api.Catalog, error) {
	ctx, cancel := c.offering(ctx)
	defer cancel()
	cl, err := c.client(ctx)
	if err != nil {
		return api.Catalog{}, err
	}
	return cl.Catalog(ctx)
}
