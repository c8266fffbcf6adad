package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// bulkHelp says how many instances are meant at once.
const bulkHelp = "In place of instances, give flags that select them, as for list: by status, name, time\n" +
	"and search attributes. --dry-run shows the selection. You confirm the number of instances\n" +
	"before anything is sent: type it at a terminal, or pass --yes N. Progress goes to standard\n" +
	"error. If the command is interrupted, it prints the --resume ID that continues it."

// bulk is an action on many instances.
type bulk struct {
	selection
	verb string
	// on are the statuses of instances that it can be done to, where --status does
	// not say which.
	on []client.Status
	// do it to one.
	do     func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error
	reason string
	force  bool
	// heads: of a parent and its child that are both selected the parent alone is taken.
	heads bool
	// children are purged too.
	children bool
	// version of the orchestration to begin them with; empty for the newest.
	version string
	problem string
	// cause is the key of one that failures lists.
	cause string

	dryRun bool
	yes    string
	rate   float64
	resume string
}

// batchRate is how many instances a second a batch takes by default.
const batchRate = 50

func (b *bulk) declare(flags *flag.FlagSet) {
	b.selection.declare(flags)
	flags.StringVar(&b.cause, "cause", "", "only what failed by the cause with this `KEY`, as failures lists them; --since and --until are about the failure")
	flags.BoolVar(&b.dryRun, "dry-run", false, "only say how many instances are selected, and which")
	flags.StringVar(&b.yes, "yes", "", "skip the question if exactly `MANY` instances are selected (--dry-run prints the number), or any")
	flags.Float64Var(&b.rate, "rate", batchRate, "`N` instances a second at most")
	flags.StringVar(&b.resume, "resume", "", "continue the batch `ID` that was interrupted")
}

// action does it to the instances that are named, or to those that are selected.
func (b *bulk) action(c *cli) action {
	return func(ctx context.Context, named []string) error {
		if err := b.check(c, named); err != nil {
			return err
		}
		cl, err := c.client(ctx)
		if err != nil {
			return err
		}
		if len(named) > 0 {
			j := batch.Job{Verb: b.verb, Reason: b.reason, Force: b.force, Children: b.children}
			return batch.Each(ctx, c.err, &j, named, func(ctx context.Context, j *batch.Job, instance string) error { return b.do(ctx, cl, j, instance) })
		}
		place, err := c.backend().Place(ctx)
		if err != nil {
			return err
		}
		r := bulkRun{cli: c, Instances: cl, bulk: b, folder: c.batches(), place: place}
		if b.resume != "" {
			return r.goOn(ctx)
		}
		return r.begin(ctx)
	}
}

func (b *bulk) check(c *cli, named []string) error {
	selected := b.given()
	switch {
	case b.cause != "" && (b.problem != "" || b.query.Parent != "" || b.query.Schedule != "" || b.query.Queue != ""):
		return usagef("--cause finds by itself what it is about: leave out --problem, --parent, --schedule and --queue")
	case b.resume != "" && (selected || len(named) > 0 || b.dryRun || b.yes != ""):
		return usagef("--resume continues a confirmed selection: give it alone, or with --rate")
	case len(named) > 0 && (selected || b.dryRun || b.yes != ""):
		return usagef("give instances, or flags that select them, not both: %q is an operand", named[0])
	case len(named) == 0 && !selected && b.resume == "":
		return usagef("%s needs INSTANCE…, or flags that select instances: `turnstile %s --status %s --dry-run` says which they are", b.verb, b.verb, b.on[0])
	case b.rate <= 0 || b.rate > 10_000:
		return usagef("--rate %g: more than 0, at most 10000 a second", b.rate)
	}
	if err := checkYes(b.yes, "instances"); err != nil {
		return err
	}
	if err := b.selection.check(c.now()); err != nil {
		return err
	}
	if status := client.Status(b.status); b.status != "" && !slices.Contains(b.on, status) {
		names := make([]string, len(b.on))
		for i, s := range b.on {
			names[i] = string(s)
		}
		return usagef("%s does not apply to --status %s, only to %s", b.verb, b.status, strings.Join(names, ", "))
	}
	return nil
}

// batches is where batches are kept that are not done.
func (c *cli) batches() batch.Folder {
	if folder := c.getenv("TURNSTILE_BATCHES"); folder != "" {
		return batch.Folder(folder)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		folder = os.TempDir()
	}
	return batch.Folder(filepath.Join(folder, "turnstile", "batches"))
}

// bulkRun is one run of it.
type bulkRun struct {
	*cli
	backend.Instances
	*bulk
	folder batch.Folder
	place  backend.Place
}

// begin selects the instances, asks, and does it.
func (r *bulkRun) begin(ctx context.Context) error {
	statuses := r.on
	if r.status != "" {
		statuses = []client.Status{client.Status(r.status)}
	}
	bar := term.NewProgress(r.screen(r.err), r.now)
	var ids []string
	var parents map[string]string
	var err error
	if r.cause != "" {
		ids, parents, err = r.ofCause(ctx, statuses)
	} else {
		ids, parents, err = batch.Select(ctx, r.Instances, r.query, statuses, r.problem, func(n int) { bar.Show(fmt.Sprintf("selecting: %d", n)) })
	}
	bar.End()
	if r.heads {
		all := len(ids)
		if ids = batch.Heads(ids, parents); len(ids) < all {
			fmt.Fprintf(r.err, "%s left out: the %s of their parents, which are selected too, reaches them\n", plain.Plural(all-len(ids), "child is", "children are"), r.verb)
		}
	}
	switch {
	case err != nil:
		return err
	case r.dryRun:
		return r.printDryRun(ids)
	case len(ids) == 0 && r.json():
		return r.printJSON(api.Batch{Action: r.verb})
	case len(ids) == 0:
		fmt.Fprintln(r.err, "no instances are selected: nothing was done")
		return nil
	}
	if err := r.confirm(ctx, len(ids)); err != nil {
		return err
	}
	j := batch.Job{Verb: r.verb, Reason: r.reason, Force: r.force, Children: r.children, Version: r.version, Place: r.place.ID, MadeAt: r.now(), Instances: ids}
	if err := r.folder.Create(&j); err != nil {
		return fmt.Errorf("the list of instances cannot be saved, so an interrupted batch could not go on: %w; set TURNSTILE_BATCHES to a folder that you can write to", err)
	}
	return r.work(ctx, &j, 0)
}

// ofCause are the instances that have failed by one cause, those that failed last first.
func (r *bulkRun) ofCause(ctx context.Context, statuses []client.Status) (ids []string, parents map[string]string, err error) {
	q := r.query
	q.Status = ""
	found, err := r.Failures(ctx, q, r.cause)
	if err != nil {
		return nil, nil, err
	}
	parents = map[string]string{}
	for _, c := range found.Causes {
		for i := range c.Members {
			m := &c.Members[i]
			if slices.Contains(statuses, client.Status(m.Status)) {
				ids = append(ids, m.Instance)
			}
			if m.Parent != nil {
				parents[m.Instance] = m.Parent.Instance
			}
		}
	}
	if found.More {
		fmt.Fprintf(r.err, "%d instances were read; those that started earlier are not selected\n", found.Read)
	}
	return ids, parents, nil
}

// goOn goes on with a batch.
func (r *bulkRun) goOn(ctx context.Context) error {
	j, done, err := r.folder.Open(r.resume)
	if err != nil {
		if open := r.folder.IDs(); len(open) > 0 {
			return fmt.Errorf("%w\nunfinished: %s", err, strings.Join(open, ", "))
		}
		return err
	}
	if j.Verb != r.verb {
		return usagef("batch %s belongs to another command, %s: turnstile %s --resume %s", j.ID, j.Verb, j.Verb, j.ID)
	}
	switch {
	case j.Place == r.place.ID:
	case strings.HasPrefix(j.Place, "stack "):
		return fmt.Errorf("batch %s was begun by an earlier version on %s, of an account and a region that were not noted: nothing was done; select the instances again", j.ID, j.Place)
	default:
		return fmt.Errorf("batch %s belongs to %s, and this command would work on %s: nothing was done; name the same place again, with the same account and region", j.ID, j.Place, r.here())
	}
	fmt.Fprintf(r.err, "going on: %d of %s are done\n", done, plain.Plural(j.Count, "instance", "instances"))
	return r.work(ctx, &j, done)
}

// here is the place of this command with all that tells it from others.
func (r *bulkRun) here() string {
	if r.place.Words == r.place.ID {
		return r.place.ID
	}
	return r.place.Words + ", " + r.place.ID
}

// work does what is left of a batch, and says what became of it.
func (r *bulkRun) work(ctx context.Context, j *batch.Job, done int) error {
	worker := batch.Worker{
		Folder: r.folder, Rate: r.rate, Notes: r.screen(r.err), Command: "turnstile" + r.settings.Words() + " " + j.Verb, Sleep: r.sleep, Now: r.now,
		Do: func(ctx context.Context, j *batch.Job, instance string) error {
			return r.do(ctx, r.Instances, j, instance)
		},
	}
	result, failed := worker.Work(ctx, j, done)
	if !r.json() {
		result.Print(r.err)
		return failed
	}
	if err := r.printJSON(result.Batch()); err != nil {
		return err
	}
	return failed
}

// printDryRun says which instances are selected.
func (r *bulkRun) printDryRun(ids []string) error {
	if r.json() {
		return r.printJSON(api.Batch{Action: r.verb, Selected: len(ids), DryRun: true, Instances: ids})
	}
	for _, id := range ids {
		fmt.Fprintln(r.out, id)
	}
	fmt.Fprintf(r.err, "would %s %s of %s; nothing was done\n", r.verb, plain.Plural(len(ids), "instance", "instances"), r.place.Words)
	return nil
}

// confirm makes sure that somebody knows how many there are.
func (r *bulkRun) confirm(ctx context.Context, n int) error {
	return r.confirmed(ctx, r.yes, n, fmt.Sprintf("%s %s of %s (%s)", r.verb, plain.Plural(n, "instance", "instances"), r.place.Words, r.described()))
}

// given reports whether anything was selected.
func (b *bulk) given() bool { return b.selection.given() || b.problem != "" || b.cause != "" }

// described are the flags that select, in words.
func (b *bulk) described() string {
	words := b.words()
	if b.problem != "" {
		words += " --problem " + plain.ShellWord(b.problem)
	}
	if b.cause != "" {
		words += " --cause " + plain.ShellWord(b.cause)
	}
	return strings.TrimSpace(words)
}
