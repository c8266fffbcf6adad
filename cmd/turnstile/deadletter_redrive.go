package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

func deadLetterRedriveCommand() *command {
	return &command{
		name: "dead-letter redrive", operands: "[MESSAGE_ID…]", most: -1,
		short: "send them back to the queue that they came from",
		long: paragraph(
			"Sends dead letters back to their queue, and only then deletes them. What is known",
			"already is not recorded twice, and what a committed turn could not send any more is",
			"sent now; so a redrive is harmless. One whose cause is still there comes back.",
			"Give message ids, or --all, which the other flags narrow. Those that come in while it",
			"runs are left for the next one."),
		examples: []string{
			"turnstile dead-letter redrive 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11",
			"turnstile dead-letter redrive --all --reason unknown_instance --instance order-17",
			"turnstile dead-letter redrive --all --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			r := removal{verb: "redriven"}
			r.declare(flags)
			flags.StringVar(&r.to, "to", "", "send them to this `QUEUE` instead: "+strings.Join(sources(), ", "))
			return r.action(c)
		},
	}
}

func deadLetterDeleteCommand() *command {
	return &command{
		name: "dead-letter delete", operands: "[MESSAGE_ID…]", most: -1,
		short: "delete them",
		long: paragraph(
			"Deletes dead letters that nobody needs any more. Give message ids, or --all, which the",
			"other flags narrow. This cannot be undone."),
		examples: []string{
			"turnstile dead-letter delete 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11",
			"turnstile dead-letter delete --all --reason malformed",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			r := removal{verb: "deleted"}
			r.declare(flags)
			return r.action(c)
		},
	}
}

// sources are the queues that a dead letter can go to.
func sources() []string {
	return []string{orchestratorQueue, delayQueue, activityQueue, activityDeadQueue}
}

// removal takes dead letters out of their queue.
type removal struct {
	selection
	all, dryRun bool
	// to is the queue that they are sent to, empty for that which they came
	// from.
	to string
	// verb says what is done: "redriven", "deleted".
	verb string
}

func (r *removal) declare(flags *flag.FlagSet) {
	flags.BoolVar(&r.all, "all", false, "all that the other flags select")
	flags.BoolVar(&r.dryRun, "dry-run", false, "only say what would be done")
	r.selection.declare(flags)
}

func (r *removal) action(c *cli) action {
	return func(ctx context.Context, ids []string) error {
		switch {
		case r.all == (len(ids) > 0):
			return usagef("give message ids, or --all")
		case !r.all && (r.reason != "" || r.instance != ""):
			return usagef("--reason and --instance go with --all")
		case r.to != "" && !slices.Contains(sources(), r.to):
			return usagef("--to %q: one of %s", r.to, strings.Join(sources(), ", "))
		}
		if err := r.check(); err != nil {
			return err
		}
		r.ids = ids
		all, err := c.open(&c.settings).Queues(ctx)
		if err != nil {
			return err
		}
		return c.remove(ctx, all, r)
	}
}

// removedJSON is what became of a dead letter, as --output json prints it.
type removedJSON struct {
	MessageID string `json:"message_id"`
	Queue     string `json:"queue"`
	To        string `json:"to,omitempty"`
	Kind      string `json:"kind"`
	Instance  string `json:"instance,omitempty"`
	Error     string `json:"error,omitempty"`
}

func (c *cli) remove(ctx context.Context, all queues, r *removal) error {
	began := c.now()
	done := []removedJSON{}
	failed, late := 0, 0
	missing := slices.Clone(r.ids)
	for _, name := range r.queues() {
		err := c.look(ctx, all[name], name, func(l *letter) (verdict, error) {
			if !r.has(l) {
				return verdict{}, nil
			}
			if r.all && l.SentAt.After(began) {
				// It may be what was just sent, and would go round for ever.
				late++
				return verdict{}, nil
			}
			missing = slices.DeleteFunc(missing, func(id string) bool { return id == l.ID })
			is := removedJSON{MessageID: l.ID, Queue: name, Kind: l.kind(), Instance: l.instance()}
			if r.verb == "redriven" {
				if is.To = r.to; is.To == "" {
					is.To = l.source()
				}
			}
			var what verdict
			if !r.dryRun {
				var err error
				if what, err = removeOne(ctx, all, l, is.To, began); err != nil {
					is.Error = err.Error()
					failed++
				}
			}
			done = append(done, is)
			if !c.json() {
				c.removed(r, &is)
			}
			what.last = len(r.ids) > 0 && len(missing) == 0
			return what, ctx.Err()
		})
		if err != nil {
			return errors.Join(err, c.removedAll(done))
		}
	}
	if late > 0 {
		fmt.Fprintf(c.err, "left: %s that came in after this began (%s by this machine's clock)\n", plural(late, "dead letter", "dead letters"), moment(began))
	}
	var errs []error
	if len(missing) > 0 {
		errs = append(errs, notThere(missing))
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %s not %s; they are still where they were, and trying again is harmless",
			failed, plural(len(done), "dead letter", "dead letters"), r.verb))
	}
	if len(done)+len(missing)+late == 0 && !c.json() {
		fmt.Fprintln(c.err, "no dead letters")
	}
	return errors.Join(append(errs, c.removedAll(done))...)
}

func (c *cli) removed(r *removal, is *removedJSON) {
	verb, to := r.verb, ""
	if r.dryRun {
		verb = "would be " + verb
	}
	if is.To != "" {
		to = " to " + is.To
	}
	what := printable(strings.TrimSpace(is.Kind + " " + is.Instance))
	if is.Error != "" {
		fmt.Fprintf(c.err, "not %s: %s (%s): %s\n", r.verb, is.MessageID, what, printable(is.Error))
		return
	}
	fmt.Fprintf(c.out, "%s%s: %s (%s)\n", verb, to, is.MessageID, what)
}

func (c *cli) removedAll(done []removedJSON) error {
	if !c.json() {
		return nil
	}
	return c.printJSON(done)
}

// removeOne sends a dead letter on, if it is to go anywhere, and deletes it
// after that: whatever fails in between, it is in one of the two queues.
func removeOne(ctx context.Context, all queues, l *letter, to string, now time.Time) (verdict, error) {
	if to != "" {
		out, err := redriven(l, all[to].FIFO(), now)
		if err != nil {
			return verdict{}, err
		}
		if err := all[to].Send(ctx, out); err != nil {
			return verdict{}, fmt.Errorf("sending it to %s: %w", to, err)
		}
	}
	if err := all[l.queue].Delete(ctx, l.Message); err != nil {
		if to != "" {
			err = fmt.Errorf("it was sent to %s, but not deleted here: %w", to, err)
		}
		return verdict{}, err
	}
	return verdict{gone: true}, nil
}

// redriven is the message by which a dead letter goes back. The mark lets its
// handler treat it as one that comes again: its turn may have been committed
// and never dispatched. Its deduplication id is that of the hop, since SQS
// still remembers that of the first message.
func redriven(l *letter, fifo bool, now time.Time) (queue.Outgoing, error) {
	out := queue.Outgoing{Body: l.Body, Attributes: maps.Clone(l.Attributes)}
	if aged := l.unread == nil && l.item.Age(now) > wire.MaxAge/2; aged || l.nameless {
		if aged {
			// It would come back as one that is too old, now or before long. Who
			// redrives it wants it: from here on it is new.
			l.item.SentMS, l.item.NotBeforeMS = now.UnixMilli(), 0
		}
		body, err := l.item.Encode()
		if err != nil {
			return out, fmt.Errorf("writing its id and time into its body: %w", err)
		}
		out.Body = string(body)
	}
	if out.Attributes == nil {
		out.Attributes = map[string]string{}
	}
	if why := out.Attributes[wire.ReasonAttribute]; strings.HasPrefix(why, string(wire.ReasonSender)+":") {
		return out, fmt.Errorf("its sender may not send it, and a redrive would make it yours (%s): find the sender; what is wanted all the same has to be sent anew", why)
	}
	delete(out.Attributes, wire.ReasonAttribute)
	delete(out.Attributes, host.RedriveAttribute)
	own := map[string]string{host.RedriveAttribute: "dead-letter"}
	if senders := host.SentBy(out.Attributes, l.Sender); senders != "" {
		// What SQS gave up itself was perhaps never looked at.
		own[host.SenderAttribute] = senders
		delete(out.Attributes, host.SenderAttribute)
	}
	names := sortedKeys(out.Attributes)
	for len(names)+len(own) > queue.MaxAttributes {
		delete(out.Attributes, names[len(names)-1])
		names = names[:len(names)-1]
	}
	maps.Copy(out.Attributes, own)
	if fifo {
		fact := ""
		if l.unread == nil {
			fact = wire.DedupID(&l.item)
		}
		out.DedupID = wire.HopDedupID(fact, l.ID)
		switch {
		case l.Group != "":
			out.Group = l.Group
		case l.unread == nil:
			out.Group = wire.Group(l.item.Target())
		default:
			return out, fmt.Errorf("a FIFO queue needs the instance that it is for, and it cannot be read: %w", l.unread)
		}
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
