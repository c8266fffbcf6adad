package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// checks collects the problems that a command finds before it sends a message.
type checks struct {
	anyway bool
	found  []string
}

func (o *checks) declare(flags *flag.FlagSet) {
	flags.BoolVar(&o.anyway, "anyway", false, "send it even if the check finds a wrong name or wrong data")
}

// passed returns an error if a problem was found. With --anyway it only prints the problems.
func (o *checks) passed(c *cli) error {
	if o.anyway || len(o.found) == 0 {
		c.warn(o.found)
		return nil
	}
	lines := make([]string, len(o.found))
	for i, problem := range o.found {
		lines[i] = "  " + printable.Line(problem)
	}
	return fmt.Errorf("nothing was sent, because the check found a problem:\n%s\nTo send it nevertheless, add --anyway", strings.Join(lines, "\n"))
}

func (c *cli) warn(of []string) {
	for _, text := range of {
		fmt.Fprintf(c.err, "warning: %s\n", printable.Line(text))
	}
}

// start checks a start request. Without a catalog of the code it finds no problem.
func (o *checks) start(ctx context.Context, cl backend.Instances, r *client.StartRequest) {
	known, err := cl.Catalog(ctx)
	if err != nil || len(known.Orchestrations) == 0 || r.Name == "" {
		return // The start itself reports an empty name.
	}
	if !slices.ContainsFunc(known.Orchestrations, func(e api.CatalogEntry) bool { return e.Name == r.Name && (r.Version == "" || e.Version == r.Version) }) {
		o.found = append(o.found, fmt.Sprintf("no build has orchestration %s: the instance would wait until you deploy one that does%s", withVersion(r.Name, r.Version), near.Hint(r.Name, entryNames(known.Orchestrations))))
		return
	}
	o.data(ctx, cl, "", api.Check{Kind: "orchestration", Name: r.Name, Version: r.Version, Data: string(r.Input)})
	for _, e := range r.Events {
		o.event(ctx, cl, &known, e.Name, e.Data)
	}
}

// event checks the name and the data of an event. It does not read the instance.
func (o *checks) event(ctx context.Context, cl backend.Instances, known *api.Catalog, name string, data []byte) {
	if events := entryNames(known.Events); len(events) > 0 && !slices.Contains(events, name) {
		o.found = append(o.found, fmt.Sprintf("no build declares event %q%s", name, near.Hint(name, events)))
		return
	}
	o.data(ctx, cl, "event "+name+": ", api.Check{Kind: "event", Name: name, Data: string(data)})
}

// update checks the name and the input of an update. It does not read the instance.
func (o *checks) update(ctx context.Context, cl backend.Instances, name string, input []byte) {
	known, err := cl.Catalog(ctx)
	if err != nil {
		return
	}
	if updates := entryNames(known.Updates); len(updates) > 0 && !slices.Contains(updates, name) {
		o.found = append(o.found, fmt.Sprintf("no build declares update %q%s", name, near.Hint(name, updates)))
		return
	}
	o.data(ctx, cl, "update "+name+": ", api.Check{Kind: "update", Name: name, Data: string(input)})
}

func (o *checks) data(ctx context.Context, cl backend.Instances, what string, check api.Check) {
	checked, err := cl.CheckData(ctx, check)
	if err != nil {
		return
	}
	for _, p := range checked.Problems {
		o.found = append(o.found, what+p.Text)
	}
}

// restart checks the new input of restarted instances.
func (o *checks) restart(ctx context.Context, cl backend.Instances, r *client.RestartRequest, instances []string) {
	seen := map[string]bool{}
	for _, instance := range instances {
		if d, err := cl.Describe(ctx, instance); err == nil && !seen[d.Name] {
			seen[d.Name] = true
			o.data(ctx, cl, "", api.Check{Kind: "orchestration", Name: d.Name, Version: r.Version, Data: string(r.Input)})
		}
	}
}

// result checks the result of a pending activity, which its token identifies.
func (o *checks) result(ctx context.Context, cl backend.Instances, token string, result []byte) {
	t, err := wire.ParseActivityToken(token)
	if err != nil {
		return // The completion itself reports it.
	}
	d, err := cl.Describe(ctx, t.Instance)
	if err != nil || d.ExecutionID != t.ExecutionID {
		return
	}
	waiting, err := cl.Pending(ctx, t.Instance)
	if err != nil {
		return
	}
	for i := range waiting.Operations {
		if w := &waiting.Operations[i]; w.Kind == history.ActivityScheduled && w.EventID == t.EventID {
			o.data(ctx, cl, "result of activity "+w.Name+": ", api.Check{Kind: "activity", Name: w.Name, Data: string(result)})
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

// withVersion returns a name with its version, in the format of turnstile list.
func withVersion(name, version string) string {
	if version == "" {
		return name
	}
	return name + " " + version
}

// registered completes names of orchestrations: those that the code registers and those of the
// newest instances.
var registered = inOrder(known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	catalog, _ := cl.Catalog(ctx)
	page, _ := cl.List(ctx, client.ListQuery{PageSize: offered})
	names := entryNames(catalog.Orchestrations)
	for i := range page.Instances {
		names = append(names, page.Instances[i].Name)
	}
	slices.Sort(names)
	for _, name := range names {
		offer(name, "")
	}
}))

// raised completes an instance id, then the name of an event: first the events that the instance
// waits for, then all others that the code declares.
var raised = inOrder(instanceIDs(notEnded...), known(func(ctx context.Context, cl backend.Instances, operands []string, offer func(word, about string)) {
	waiting, _ := cl.Pending(ctx, operands[0])
	for _, o := range waiting.Operations {
		if o.Kind == history.ExternalSubscribed && o.Instance == "" {
			offer(o.Name, "")
		}
	}
	catalog, _ := cl.Catalog(ctx)
	for _, e := range catalog.Events {
		offer(e.Name, "")
	}
}))
