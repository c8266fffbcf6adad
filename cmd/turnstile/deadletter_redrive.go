package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

func deadLetterRedriveCommand() *command {
	return &command{
		name: "dead-letter redrive", operands: "[MESSAGE_ID…]", most: -1,
		short: "send dead letters back to their queue",
		long: paragraph(
			"Sends dead letters back to their queue, then deletes them. A redrive is safe: no message is",
			"recorded twice, and the instance resends its pending operations. If the cause is not fixed, the",
			"message becomes a dead letter again. Give message ids, or --all, which the other flags narrow.",
			"Dead letters that arrive during the command are left in the queue."),
		examples: []string{
			"turnstile dead-letter redrive 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11",
			"turnstile dead-letter redrive --all --reason unknown_instance --instance order-17",
			"turnstile dead-letter redrive --all --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			r := removal{verb: "redriven"}
			r.declare(flags)
			flags.StringVar(&r.To, "to", "", "send them to this `QUEUE` instead of their own: "+strings.Join(deadletter.Sources(), ", "))
			return r.action(c)
		},
	}
}

func deadLetterDeleteCommand() *command {
	return &command{
		name: "dead-letter delete", operands: "[MESSAGE_ID…]", most: -1,
		short: "delete dead letters",
		long: paragraph(
			"Deletes dead letters. This cannot be undone. Give message ids, or --all, which the other flags",
			"narrow. With --all you confirm the number first: type it at a terminal, or pass --yes N. Dead",
			"letters that arrive after the count are kept."),
		examples: []string{
			"turnstile dead-letter delete 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11",
			"turnstile dead-letter delete --all --reason malformed",
			"turnstile dead-letter delete --all --reason malformed --yes 12",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			r := removal{verb: "deleted"}
			r.Delete = true
			r.declare(flags)
			flags.StringVar(&r.yes, "yes", "", "with --all, skip the confirmation if exactly `MANY` dead letters are selected (--dry-run shows them); --yes any always skips it")
			return r.action(c)
		},
	}
}

// removal redrives or deletes dead letters.
type removal struct {
	deadletter.Removal
	all bool
	// verb is the participle for messages: "redriven" or "deleted".
	verb string
	// yes confirms the deletion of all.
	yes string
}

func (r *removal) declare(flags *flag.FlagSet) {
	flags.BoolVar(&r.all, "all", false, "all dead letters that the other flags select")
	flags.BoolVar(&r.DryRun, "dry-run", false, "show what the command would do, and do nothing")
	declareSelection(&r.Selection, flags)
}

func (r *removal) action(c *cli) action {
	return func(ctx context.Context, ids []string) error {
		switch {
		case r.all == (len(ids) > 0):
			return usagef("give message ids, or --all")
		case !r.all && (r.Reason != "" || r.Instance != ""):
			return usagef("--reason and --instance need --all")
		case !r.all && r.yes != "":
			return usagef("--yes needs --all")
		}
		if err := checkYes(r.yes, "dead letters"); err != nil {
			return err
		}
		r.IDs = ids
		all, err := c.backend().Letters(ctx, c.poll)
		if err != nil {
			return err
		}
		if r.Delete && r.all && !r.DryRun && r.yes != "any" {
			if err := c.confirmDeletion(ctx, all, r); err != nil {
				return err
			}
		}
		return c.remove(ctx, all, r)
	}
}

// confirmDeletion counts the selected dead letters, makes the user confirm the number, and limits
// the deletion to the counted ones.
func (c *cli) confirmDeletion(ctx context.Context, all letters.Letters, r *removal) error {
	count := r.Removal
	count.DryRun = true
	var ids []string
	if _, err := all.Remove(ctx, &count, func(is *api.RemovedDeadLetter) { ids = append(ids, is.MessageID) }); err != nil {
		return checked(err)
	}
	if len(ids) == 0 {
		return nil // There is nothing to confirm.
	}
	at, err := c.backend().Place(ctx)
	if err != nil {
		return err
	}
	flags := "--all"
	for _, f := range []struct{ name, value string }{{"queue", r.Queue}, {"reason", r.Reason}, {"instance", r.Instance}} {
		if f.value != "" {
			flags += " --" + f.name + " " + plain.ShellWord(f.value)
		}
	}
	if err := c.confirmed(ctx, r.yes, len(ids), fmt.Sprintf("delete %s of %s (%s)", plain.Plural(len(ids), "dead letter", "dead letters"), at.Words, flags)); err != nil {
		return err
	}
	r.Selection = deadletter.Selection{Queue: r.Queue, IDs: ids}
	return nil
}

func (c *cli) remove(ctx context.Context, all letters.Letters, r *removal) error {
	startedAt := c.now()
	out, err := all.Remove(ctx, &r.Removal, func(is *api.RemovedDeadLetter) {
		if !c.json() {
			letters.Removed(c.out, c.err, r.verb, r.DryRun, is)
		}
	})
	if err != nil {
		return errors.Join(checked(err), c.removedAll(&out))
	}
	if out.Late > 0 {
		fmt.Fprintf(c.err, "left in the queue: %s that arrived after this command started (%s by this machine's clock)\n", plain.Plural(out.Late, "dead letter", "dead letters"), plain.Moment(startedAt))
	}
	var errs []error
	if len(out.Missing) > 0 {
		errs = append(errs, notThere(out.Missing))
	}
	failed := 0
	for i := range out.Done {
		if out.Done[i].Error != "" {
			failed++
		}
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %s not %s; they are unchanged, so you can try again",
			failed, plain.Plural(len(out.Done), "dead letter", "dead letters"), r.verb))
	}
	if len(out.Done)+len(out.Missing)+out.Late == 0 && !c.json() {
		fmt.Fprintln(c.err, "no dead letters")
	}
	return errors.Join(append(errs, c.removedAll(&out))...)
}

func (c *cli) removedAll(out *api.RemovedDeadLetters) error {
	if !c.json() {
		return nil
	}
	if out.Done == nil {
		out.Done = []api.RemovedDeadLetter{}
	}
	return c.printJSON(out)
}
