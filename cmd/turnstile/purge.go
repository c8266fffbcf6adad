package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// leftChildren collects the children that purges leave, with their inputs and results.
type leftChildren struct {
	mu   sync.Mutex
	seen map[string]bool
	// looked counts the calls of look, unread the instances whose children are unknown because
	// there were too many instances or a history could not be read.
	looked, unread int
}

// look records the children of an instance to purge. It reads the histories of the instance and
// its children, for at most mostPlanned instances.
func (l *leftChildren) look(ctx context.Context, cl backend.Instances, instance string) {
	l.mu.Lock()
	l.looked++
	asks := l.looked <= mostPlanned
	l.mu.Unlock()
	var children []string
	var err error
	if asks {
		var plan api.Sent
		plan, err = acts.Purge.Call(ctx, cl, instance, api.Purge{DryRun: true})
		children = plan.Children
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !asks || err != nil {
		l.unread++
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	for _, child := range children {
		l.seen[child] = true
	}
}

// besides returns the children that are not in purged.
func (l *leftChildren) besides(purged []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []string
	for child := range l.seen {
		left = append(left, child)
	}
	slices.Sort(left)
	taken := make(map[string]bool, len(purged))
	for _, id := range purged {
		taken[id] = true
	}
	return slices.DeleteFunc(left, func(id string) bool { return taken[id] })
}

// print prints how many children remain, or would remain, and how to purge them.
func (l *leftChildren) print(out io.Writer, purged []string, remain string) {
	if l == nil {
		return
	}
	left := l.besides(purged)
	if n := len(left); n > 0 {
		with := "--children purges them too"
		if remain == "remain" {
			with = "purge them by their ids; next time, --children purges children with their parent"
		}
		fmt.Fprintf(out, "%s %s, with inputs and results: %s\n", plain.Plural(n, "child", "children"), remain, with)
		for _, id := range left[:min(n, shownLeft)] {
			fmt.Fprintf(out, "  %s\n", printable.Line(id))
		}
		if n > shownLeft {
			fmt.Fprintf(out, "  and %d more\n", n-shownLeft)
		}
	}
	if l.unread > 0 {
		fmt.Fprintf(out, "unknown whether children of %s %s: their histories were not read\n", plain.Plural(l.unread, "more instance", "more instances"), remain)
	}
}

// shownLeft is the largest number of children to print.
const shownLeft = 20

// planPurges prints which children purges of the named instances would leave. It sends nothing.
func (c *cli) planPurges(ctx context.Context, b *bulk, named []string) error {
	cl, err := c.client(ctx)
	if err != nil {
		return err
	}
	for _, instance := range named {
		d, err := cl.Describe(ctx, instance)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.out, "%s\t%s\n", printable.Line(d.Instance), d.Status)
		if b.left != nil {
			b.left.look(ctx, cl, instance)
		}
	}
	fmt.Fprintf(c.err, "would purge %s; nothing was done\n", plain.Plural(len(named), "instance", "instances"))
	b.left.print(c.err, named, "would remain")
	return nil
}
