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
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// bulkHelp explains how a command selects several instances.
const bulkHelp = "Name the instances, pass - to read ids from standard input (one per line), or select instances\n" +
	"with the flags of list: by status, name, time and search attributes. --dry-run shows the\n" +
	"selection. Before anything is sent you confirm the number of instances: type it at a terminal,\n" +
	"or pass --yes N. Progress is written to standard error. If the command is interrupted, it prints\n" +
	"the --resume ID that continues the batch."

// bulk is an action that a command can take on many instances.
type bulk struct {
	selection
	verb string
	// on lists the statuses of the instances that the action applies to. It is the selection when
	// --status is not given.
	on []client.Status
	// alsoOn lists those that --status can name too.
	alsoOn []client.Status
	// do takes the action on one instance.
	do func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error
	// plan returns what the redrive of an instance would do; nil for all other actions.
	plan func(ctx context.Context, cl backend.Instances, instance string) (client.Redriven, error)
	// left collects the children that purges leave; nil for all other actions, and with --children.
	left   *leftChildren
	reason string
	force  bool
	// heads drops a selected child whose parent is selected too.
	heads bool
	// children are purged too.
	children bool
	// version is the orchestration version to start the instances with; empty for the newest.
	version string
	problem string
	// cause is a key that the command failures lists.
	cause string

	dryRun bool
	yes    string
	rate   float64
	resume string
}

// batchRate is the default number of instances per second.
const batchRate = 50

func (b *bulk) declare(flags *flag.FlagSet) {
	b.selection.declare(flags)
	flags.StringVar(&b.cause, "cause", "", "only instances that failed with the cause `KEY` from failures; --since and --until then apply to the time of the failure")
	flags.BoolVar(&b.dryRun, "dry-run", false, "show the selected instances and their number, and do nothing")
	flags.StringVar(&b.yes, "yes", "", "skip the confirmation if exactly `MANY` instances are selected (--dry-run prints the number); --yes any always skips it")
	flags.Float64Var(&b.rate, "rate", batchRate, "at most `N` instances per second")
	flags.StringVar(&b.resume, "resume", "", "continue the interrupted batch `ID`")
}

// action returns the function that runs b on the named instances, or on the selected ones.
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
			j := batch.Job{Verb: b.verb, Reason: b.reason, Force: b.force, Children: b.children, Instances: named}
			err := batch.Each(ctx, c.err, &j, named, func(ctx context.Context, j *batch.Job, instance string) error { return b.do(ctx, cl, j, instance) })
			b.left.print(c.err, named, "remain")
			return err
		}
		place, err := c.backend().Place(ctx)
		if err != nil {
			return err
		}
		r := bulkRun{cli: c, Instances: cl, bulk: b, folder: c.batches(), place: place}
		if b.resume != "" {
			return r.proceed(ctx)
		}
		return r.begin(ctx)
	}
}

func (b *bulk) check(c *cli, named []string) error {
	selected := b.given()
	switch {
	case b.cause != "" && (b.problem != "" || b.query.Parent != "" || b.query.Schedule != "" || b.query.Queue != ""):
		return usagef("--cause cannot be combined with --problem, --parent, --schedule or --queue")
	case b.resume != "" && (selected || len(named) > 0 || b.dryRun || b.yes != ""):
		return usagef("--resume continues a confirmed batch: it can be combined with --rate only")
	case len(named) > 0 && selected:
		return usagef("give instances or flags that select them, not both: %q is an operand", named[0])
	case len(named) > 0 && b.yes != "":
		return usagef("--yes confirms a selection by flags: leave it out, because %q is named", named[0])
	case len(named) > 0 && b.dryRun:
		return usagef("--dry-run shows a selection by flags: leave it out, because %q is named", named[0])
	case len(named) == 0 && !selected && b.resume == "":
		return usagef("%s needs INSTANCE…, or flags that select instances: `turnstile %s --status %s --dry-run` shows a selection", b.verb, b.verb, b.on[0])
	case b.rate <= 0 || b.rate > 10_000:
		return usagef("--rate %g: must be more than 0 and at most 10000 per second", b.rate)
	}
	if err := checkYes(b.yes, "instances"); err != nil {
		return err
	}
	if err := b.selection.check(c.now()); err != nil {
		return err
	}
	if all := slices.Concat(b.on, b.alsoOn); b.status != "" && !slices.Contains(all, client.Status(b.status)) {
		names := make([]string, len(all))
		for i, s := range all {
			names[i] = string(s)
		}
		return usagef("%s does not apply to --status %s, only to %s", b.verb, b.status, strings.Join(names, ", "))
	}
	return nil
}

// batches returns the folder that stores unfinished batches.
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

// bulkRun is one run of a bulk action.
type bulkRun struct {
	*cli
	backend.Instances
	*bulk
	folder batch.Folder
	place  backend.Place
}

// begin selects the instances, asks for confirmation, and takes the action.
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
			fmt.Fprintf(r.err, "%s left out: their parents are selected, and the %s of a parent includes its children\n", plain.Plural(all-len(ids), "child is", "children are"), r.verb)
		}
	}
	switch {
	case err != nil:
		return err
	case r.dryRun:
		return r.printDryRun(ctx, ids)
	case len(ids) == 0 && r.json():
		return r.printJSON(api.Batch{Action: r.verb})
	case len(ids) == 0:
		fmt.Fprintln(r.err, "no instances match: nothing was done")
		return nil
	}
	if err := r.confirm(ctx, len(ids)); err != nil {
		return err
	}
	j := batch.Job{Verb: r.verb, Reason: r.reason, Force: r.force, Children: r.children, Version: r.version, Place: r.place.ID, MadeAt: r.now(), Instances: ids}
	if err := r.folder.Create(&j); err != nil {
		return fmt.Errorf("saving the list of instances, which an interrupted batch needs to continue: %w; set TURNSTILE_BATCHES to a writable folder", err)
	}
	return r.work(ctx, &j, 0)
}

// ofCause returns the instances that failed with r.cause, the latest failure first.
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
		fmt.Fprintf(r.err, "only the newest %d instances were read: older instances are not selected\n", found.Read)
	}
	return ids, parents, nil
}

// proceed continues an interrupted batch.
func (r *bulkRun) proceed(ctx context.Context) error {
	j, done, err := r.folder.Open(r.resume)
	if err != nil {
		if open := r.folder.IDs(); len(open) > 0 {
			return fmt.Errorf("%w\nunfinished: %s", err, strings.Join(open, ", "))
		}
		return err
	}
	if j.Verb != r.verb {
		return usagef("batch %s belongs to a different command, %s: turnstile %s --resume %s", j.ID, j.Verb, j.Verb, j.ID)
	}
	switch {
	case j.Place == r.place.ID:
	case strings.HasPrefix(j.Place, "stack "):
		return fmt.Errorf("batch %s was started by an earlier version on %s, which did not record the account and the region: nothing was done; select the instances again", j.ID, j.Place)
	default:
		return fmt.Errorf("batch %s belongs to %s, but this command works on %s: nothing was done; run it on the same target, account and region", j.ID, j.Place, r.here())
	}
	fmt.Fprintf(r.err, "continuing: %d of %s done\n", done, plain.Plural(j.Count, "instance", "instances"))
	return r.work(ctx, &j, done)
}

// here describes the target of this command, with its account and region.
func (r *bulkRun) here() string {
	if r.place.Words == r.place.ID {
		return r.place.ID
	}
	return r.place.Words + ", " + r.place.ID
}

// work runs the rest of a batch and prints its result.
func (r *bulkRun) work(ctx context.Context, j *batch.Job, done int) error {
	worker := batch.Worker{
		Folder: r.folder, Rate: r.rate, Notes: r.screen(r.err), Command: "turnstile" + r.settings.Words() + " " + j.Verb, Sleep: r.sleep, Now: r.now,
		Do: func(ctx context.Context, j *batch.Job, instance string) error {
			return r.do(ctx, r.Instances, j, instance)
		},
	}
	result, failed := worker.Work(ctx, j, done)
	r.left.print(r.err, j.Instances, "remain")
	if !r.json() {
		result.Print(r.err)
		return failed
	}
	if err := r.printJSON(result.Batch()); err != nil {
		return err
	}
	return failed
}

// printDryRun prints the selected instances and, for a redrive, what it would do.
func (r *bulkRun) printDryRun(ctx context.Context, ids []string) error {
	out := api.Batch{Action: r.verb, Selected: len(ids), DryRun: true, Instances: ids}
	if r.plan != nil {
		plans, err := r.plans(ctx, ids)
		if err != nil {
			return err
		}
		out.Plans = plans
	}
	if r.left != nil {
		for _, id := range ids {
			r.left.look(ctx, r.Instances, id)
		}
		out.Left = r.left.besides(ids)
	}
	if r.json() {
		return r.printJSON(out)
	}
	for _, id := range ids {
		fmt.Fprintln(r.out, id)
	}
	fmt.Fprintf(r.err, "would %s %s of %s; nothing was done\n", r.verb, plain.Plural(len(ids), "instance", "instances"), r.place.Words)
	r.left.print(r.err, ids, "would remain")
	if out.Plans != nil && len(ids) > 0 {
		views.Plans(r.err, out.Plans)
	}
	return nil
}

// mostPlanned is the largest number of instances whose histories a dry run reads.
const mostPlanned = 1000

// plans sums up what the redrives would do. It reads the history of each instance.
func (r *bulkRun) plans(ctx context.Context, ids []string) (*api.Plans, error) {
	bar := term.NewProgress(r.screen(r.err), r.now)
	defer bar.End()
	out := &api.Plans{Unread: max(0, len(ids)-mostPlanned)}
	for n, id := range ids[:len(ids)-out.Unread] {
		bar.Show(fmt.Sprintf("planning: %d of %d", n, len(ids)-out.Unread))
		d, err := r.plan(ctx, r.Instances, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.Add(id, &d, err)
	}
	return out, nil
}

// confirm makes the user confirm the number of selected instances.
func (r *bulkRun) confirm(ctx context.Context, n int) error {
	return r.confirmed(ctx, r.yes, n, fmt.Sprintf("%s %s of %s (%s)", r.verb, plain.Plural(n, "instance", "instances"), r.place.Words, r.described()))
}

// given reports whether any selecting flag is set.
func (b *bulk) given() bool { return b.selection.given() || b.problem != "" || b.cause != "" }

// described returns the selecting flags as they would be typed.
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
