package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func startCommand() *command {
	return &command{
		name: "start", also: []string{"run", "execute", "begin", "create"}, words: registered, operands: "NAME", least: 1, most: 1, payload: "input",
		short: "start an orchestration",
		long: paragraph(
			"Sends the start of a new instance of the orchestration NAME and prints its id. You can",
			"describe the instance after its first turn. An instance id that is taken is an error. A",
			"repeat with the same --deduplication-id is not: it starts nothing twice. If the command",
			"knows the code's types, it warns you of odd input."),
		examples: []string{
			`turnstile start Fulfil --instance order-17 --input '{"id":"order-17"}'`,
			`turnstile start Fulfil --input @order.json --wait`,
			`turnstile start Fulfil --input @order.json --event 'approved={"by":"ada"}'`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.StartRequest
			c.settings.declareActor(flags)
			input := flags.String("input", "", "`JSON` that it starts with, @FILE, or - for standard input")
			flags.StringVar(&r.Instance, "instance", "", "`ID` of the instance; default a random one")
			flags.StringVar(&r.Version, "version", "", "`VERSION` of it; default the newest that is deployed")
			flags.StringVar(&r.DeduplicationID, "deduplication-id", "", "`ID` that tells a repeat of this start from another one; default a random one")
			flags.Func("event", "a first event `NAME[=JSON]` that is sent with the start; may be repeated", func(value string) error {
				name, data, _ := strings.Cut(value, "=")
				if name == "" || data != "" && !json.Valid([]byte(data)) {
					return errors.New("it is not NAME=JSON (a text needs its quotes: NAME='\"text\"')")
				}
				r.Events = append(r.Events, wire.StartEvent{Name: name, Data: json.RawMessage(data)})
				return nil
			})
			flags.Func("search", "search `ATTRIBUTES` that it has from its start on, as for list --where: 'customer = \"c-1\" and total = 99.5'", func(value string) error {
				conditions, err := client.ParseWhere(value)
				if err != nil {
					return errors.New(condition(err))
				}
				for _, condition := range conditions {
					if condition.Operator != "=" {
						return fmt.Errorf("%s: an attribute is set with =", condition)
					}
					if r.SearchAttributes == nil {
						r.SearchAttributes = turnstile.SearchAttributes{}
					}
					r.SearchAttributes[condition.Name] = condition.Value
				}
				return nil
			})
			flags.BoolVar(&r.UseExisting, "use-existing", false, "if the id is taken by an instance of NAME, send the events to that one")
			flags.BoolVar(&r.BeginAgain, "begin-again", false, "if the id is taken by an ended instance of NAME, begin its next execution")
			flags.Func("limit", "wait until fewer than N instances with KEY run: `KEY=N`", func(s string) error {
				i := strings.LastIndexByte(s, '=')
				if i < 0 {
					return errors.New("it is not KEY=N")
				}
				var err error
				r.LimitKey = s[:i]
				if r.Limit, err = strconv.Atoi(s[i+1:]); err != nil {
					return errors.New("it is not KEY=N, with a number N")
				}
				return nil
			})
			var begins later
			begins.declare(flags)
			wait := flags.Bool("wait", false, "wait for its end and print its output")
			timeout := flags.Duration("timeout", defaultWait, "`TIME` to wait with --wait, such as 90s; 0 for no limit")
			return func(ctx context.Context, operands []string) error {
				r.Name = operands[0]
				var err error
				if r.NotBefore, err = begins.time(c.now()); err != nil {
					return err
				}
				if r.Input, err = c.readPayload("input", *input); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				c.warnOfStart(ctx, cl, &r)
				started, err := cl.Start(ctx, r)
				if err != nil {
					return err
				}
				if *wait {
					fmt.Fprintf(c.err, "started %s\n", printable.Line(started.Instance))
					return c.awaitStarted(ctx, cl, r.Name, started, *timeout)
				}
				if c.json() {
					return c.printJSON(api.Started{Instance: started.Instance, StartID: started.StartID, After: started.After})
				}
				fmt.Fprintln(c.out, started.Instance)
				return nil
			}
		},
	}
}

// awaitStarted waits for the end of an instance that this start made: where
// another one was first, that is the error.
func (c *cli) awaitStarted(ctx context.Context, cl backend.Instances, name string, started client.Started, timeout time.Duration) error {
	ctx, cancel := bound(ctx, timeout)
	defer cancel()
	if err := cl.Confirm(ctx, name, started); err != nil {
		return err
	}
	return c.await(ctx, cl, started.Instance)
}
