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
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func startCommand() *command {
	return &command{
		name: "start", also: []string{"run", "execute", "begin", "create"}, words: registered, operands: "NAME", least: 1, most: 1, payload: "input",
		short: "start an orchestration",
		long: paragraph(
			"Sends a start request for a new instance of the orchestration NAME and prints the instance's id.",
			"The instance can be described after its first turn. If the id is already used, start fails; a",
			"repeated start with the same --deduplication-id succeeds and has no effect. If the command knows",
			"the code, it rejects an unknown name and input that does not decode, unless --anyway is given."),
		examples: []string{
			`turnstile start Fulfil --instance order-17 --input '{"id":"order-17"}'`,
			`turnstile start Fulfil --input @order.json --wait`,
			`turnstile start Fulfil --input @order.json --event 'approved={"by":"ada"}'`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.StartRequest
			var check checks
			check.declare(flags)
			c.settings.declareActor(flags)
			input := flags.String("input", "", "input as `JSON`, @FILE, or - for standard input")
			flags.StringVar(&r.Instance, "instance", "", "`ID` of the instance; default random")
			flags.StringVar(&r.Version, "version", "", "`VERSION` of the orchestration; default the newest deployed version")
			flags.StringVar(&r.DeduplicationID, "deduplication-id", "", "deduplication `ID`: repeats with the same ID have no effect; default random")
			flags.Func("event", "event `NAME[=JSON]` to send with the start; may be repeated", func(value string) error {
				name, data, _ := strings.Cut(value, "=")
				if name == "" || data != "" && !json.Valid([]byte(data)) {
					return errors.New("it must be NAME=JSON (quote a string: NAME='\"text\"')")
				}
				r.Events = append(r.Events, wire.StartEvent{Name: name, Data: json.RawMessage(data)})
				return nil
			})
			flags.Func("search", "initial search `ATTRIBUTES`, written like list --where: 'customer = \"c-1\" and total = 99.5'", func(value string) error {
				conditions, err := client.ParseWhere(value)
				if err != nil {
					return errors.New(condition(err))
				}
				for _, condition := range conditions {
					if condition.Operator != "=" {
						return fmt.Errorf("%s: set an attribute with =", condition)
					}
					if r.SearchAttributes == nil {
						r.SearchAttributes = turnstile.SearchAttributes{}
					}
					r.SearchAttributes[condition.Name] = condition.Value
				}
				return nil
			})
			flags.BoolVar(&r.UseExisting, "use-existing", false, "if the id is used by an instance of NAME, send the events to that instance")
			flags.BoolVar(&r.AllowRestart, "restart", false, "if the id is used by an ended instance of NAME, start its next execution")
			flags.Func("limit", "wait until fewer than N instances with KEY run: `KEY=N`", func(s string) error {
				i := strings.LastIndexByte(s, '=')
				if i < 0 {
					return errors.New("it must be KEY=N")
				}
				var err error
				r.LimitKey = s[:i]
				if r.Limit, err = strconv.Atoi(s[i+1:]); err != nil {
					return errors.New("it must be KEY=N with a number N")
				}
				return nil
			})
			var starts later
			starts.declare(flags)
			wait := flags.Bool("wait", false, "wait for the instance to end and print its output")
			timeout := flags.Duration("timeout", defaultWait, "`TIME` to wait with --wait, such as 90s; 0 for no limit")
			return func(ctx context.Context, operands []string) error {
				r.Name = operands[0]
				var err error
				if r.NotBefore, err = starts.time(c.now()); err != nil {
					return err
				}
				if r.Input, err = c.readPayload("--input", *input); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				check.start(ctx, cl, &r)
				if err := check.passed(c); err != nil {
					return err
				}
				started, err := cl.Start(ctx, r)
				if err != nil {
					return err
				}
				if *wait {
					fmt.Fprintf(c.err, "started %s\n", printable.Line(started.Instance))
					return c.awaitStarted(ctx, cl, r.Name, started, *timeout)
				}
				return c.did(c.out, started, started.Instance)
			}
		},
	}
}

// awaitStarted waits for the end of the instance that this start created. It returns an error if
// another start took the id first.
func (c *cli) awaitStarted(ctx context.Context, cl backend.Instances, name string, started client.Started, timeout time.Duration) error {
	ctx, cancel := bound(ctx, timeout)
	defer cancel()
	if err := cl.Confirm(ctx, name, started); err != nil {
		return err
	}
	return c.await(ctx, cl, started.Instance)
}
