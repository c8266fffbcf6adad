package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func queryCommand() *command {
	return &command{
		name: "query", also: []string{"ask"}, words: queried, operands: "INSTANCE NAME [INPUT]", least: 2, most: 3,
		short: "ask the code of an instance, which answers from its variables",
		long: paragraph(
			"Replays the history of the instance in a copy, and prints what the handler of the query NAME",
			"returns, as JSON. INPUT is JSON, @FILE, or - for standard input. Nothing is recorded or sent; the",
			"instance may be running, suspended, stuck or ended. A stack answers with its query function, which",
			"requires the policy in the stack output QueryPolicyArn. A program or a console answers with its own code.",
			"If there is no answer, the error ends with its kind: unknown, not_run, not_registered, disagrees,",
			"durable_call, panic, blocked or failed."),
		examples: []string{
			"turnstile query order-17 estimate",
			`turnstile query order-17 estimate '{"country":"NO"}' --output json`,
		},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, operands []string) error {
				r := client.QueryRequest{Instance: operands[0], Name: operands[1]}
				if len(operands) == 3 {
					var err error
					if r.Input, err = c.readPayload("INPUT", operands[2]); err != nil {
						return err
					}
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				a, err := cl.Query(ctx, r)
				if err != nil {
					return views.NoAnswer(err)
				}
				if c.json() {
					return c.printJSON(api.QueryAnswerOf(&a))
				}
				fmt.Fprintln(c.out, outputLine(a.Value))
				if a.ReadTo < a.LastEventID {
					fmt.Fprintf(c.err, "the code has processed the events up to %d of %d\n", a.ReadTo, a.LastEventID)
				}
				if a.Problem != nil {
					fmt.Fprintf(c.err, "it cannot process the next one: %s\n", printable.Line(a.Problem.Message))
				}
				return nil
			}
		},
	}
}

// queried completes an instance id, then the name of a query that the code declares.
var queried = inOrder(instanceIDs(), known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	catalog, _ := cl.Catalog(ctx)
	for _, e := range catalog.Queries {
		offer(e.Name, "")
	}
}))
