package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Catalog asks a console for it that is made for that.
func (c ofClient) Catalog(ctx context.Context) (api.Catalog, error) {
	over, err := c.knowing()
	if err != nil {
		return api.Catalog{}, err
	}
	return over.Catalog(ctx)
}

// CheckData does the same.
func (c ofClient) CheckData(ctx context.Context, check api.Check) (api.Checked, error) {
	over, err := c.knowing()
	if err != nil {
		return api.Checked{}, err
	}
	return over.CheckData(ctx, check)
}

// CheckRaise asks the client, and where that does not know the event's type, the catalog.
func (c ofClient) CheckRaise(ctx context.Context, r client.RaiseRequest) ([]string, error) {
	check, err := c.Client.CheckRaise(ctx, r)
	notes := check.Notes()
	if err != nil || check.Data != nil {
		return notes, err
	}
	checked, err := c.CheckData(ctx, api.Check{Kind: "event", Name: r.Name, Data: string(r.Data)})
	if err != nil {
		return notes, nil // The code is not known.
	}
	for _, p := range checked.Problems {
		notes = append(notes, "data of event "+strconv.Quote(r.Name)+": "+p.Text)
	}
	return notes, nil
}

// knowing is a console that knows what the code has.
func (c ofClient) knowing() (*remote.Client, error) {
	handler, err := console.Handler(c.Client, console.WithExplainer(explained), console.WithClock(c.now), console.WithCatalog(c.catalog))
	if err != nil {
		return nil, err
	}
	return remote.Over(handler, nil), nil
}

// warnOfStart says what is odd about a start ahead of its sending. It may be right all
// the same: what is deployed next may have it. Where the code is not known nothing is
// said.
func (c *cli) warnOfStart(ctx context.Context, cl instances, r *client.StartRequest) {
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

func (c *cli) warnOfData(ctx context.Context, cl instances, what string, check api.Check) {
	checked, err := cl.CheckData(ctx, check)
	if err != nil {
		return
	}
	for _, p := range checked.Problems {
		fmt.Fprintf(c.err, "warning: %s\n", printable.Line(what+p.Text))
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

// raised offers an instance, then the events that it waits for.
func raised(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) != 1 {
		return firstInstance(notEnded...)(ctx, c, operands, prefix)
	}
	ctx, cancel := context.WithTimeout(ctx, longestOffer)
	defer cancel()
	cl, err := c.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	waiting, err := cl.Waiting(ctx, operands[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, o := range waiting.Open {
		if name := printable.Line(o.Name); o.Kind == history.ExternalSubscribed && strings.HasPrefix(name, prefix) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// known is what the code has. A shell that completes a word is told nothing of what
// went wrong.
func (c *cli) known(ctx context.Context) (api.Catalog, error) {
	ctx, cancel := context.WithTimeout(ctx, longestOffer)
	defer cancel()
	cl, err := c.client(ctx)
	if err != nil {
		return api.Catalog{}, err
	}
	return cl.Catalog(ctx)
}
