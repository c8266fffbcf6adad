package main

import (
	"context"
	"fmt"
	"slices"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/recording"
)

func historyCommand() *command {
	return &command{
		name: "history", also: []string{"events", "log", "logs", "export"}, words: firstInstance(), operands: "[INSTANCE]", most: 1,
		short: "show what happened in an instance, event by event",
		long: paragraph(
			"Shows the history of one execution or of all. Each event has its id, the time since the",
			"previous event, its kind, the event that it completes, its name, the actor (\"by\", as claimed by",
			"the sender) and its payload. A terminal cuts payloads to its width; a pipe does not. --export",
			"prints the document that `turnstile replay`, turnstiletest.Replay and the console read. It has",
			"payloads, but no secrets and no tokens. Payloads are decoded with your keys; without the key of",
			"a payload, history shows its codec and length.",
			"",
			chosenHelp),
		examples: []string{
			"turnstile history order-17",
			"turnstile history order-17 --all",
			"turnstile history order-17 --width 20",
			"turnstile history order-17 --execution 1 --export > order-17.json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var h showing
			h.which.declare(flags)
			flags.IntVar(&h.width, "width", 0, "cut payloads to `N` characters; default the terminal's width, or no limit in a pipe")
			flags.BoolVar(&h.export, "export", false, "print the export document; with --all, one document with all executions")
			var of chosen
			of.declare(flags)
			return func(ctx context.Context, operands []string) error {
				if err := h.which.check(); err != nil {
					return err
				}
				switch {
				case h.width < 0:
					return usagef("--width %d: must be a number of characters, or 0", h.width)
				case h.export && c.json():
					return usagef("--export cannot be combined with --output json, which is a different format")
				}
				cl, instance, err := of.open(ctx, c, "history", operands)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, instance)
				if err != nil {
					return err
				}
				return h.show(ctx, c, cl, &d)
			}
		},
	}
}

// showing selects the histories to show, and their format.
type showing struct {
	which  executions
	export bool
	width  int
}

func (h *showing) show(ctx context.Context, c *cli, cl backend.Instances, d *client.Description) error {
	exports, err := h.which.of(ctx, cl, d)
	if err != nil {
		return err
	}
	switch {
	case h.export && h.which.all:
		text, err := recording.Encode(&recording.Recording{Title: "all executions of " + d.Instance, Histories: exports})
		if err == nil {
			_, err = c.out.Write(text)
		}
		return err
	case h.export:
		_, err := c.out.Write(history.EncodeExport(exports[0]))
		return err
	case c.json() && h.which.all:
		all := make([]api.Events, len(exports))
		for i := range exports {
			all[i] = eventsOf(&exports[i])
		}
		return c.printJSON(all)
	case c.json():
		return c.printJSON(eventsOf(&exports[0]))
	}
	encoded := false
	for i := range exports {
		if i > 0 && c.screen(c.out).Person {
			fmt.Fprintln(c.out)
		}
		views.History(c.screen(c.out), d, &exports[i], h.width)
		encoded = encoded || slices.ContainsFunc(exports[i].Events, func(e history.Event) bool { return e.Codec != "" })
	}
	if encoded {
		fmt.Fprintf(c.err, "some payloads are encoded or encrypted: %s\n", keyfile.Advice)
	}
	return nil
}

// eventsOf returns a history in the API's format.
func eventsOf(x *history.Export) api.Events {
	out := api.Events{Instance: x.Instance, ExecutionID: x.ExecutionID, LastEventID: x.Events[len(x.Events)-1].EventID}
	for i := range x.Events {
		out.Events = append(out.Events, api.EventOf(&x.Events[i], true))
	}
	return out
}
