package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
)

// tokenHelp says what a token is.
const tokenHelp = "The activity gave out the token (Attempt.CompletionToken) when it left its completion to somebody\n" +
	"else; whoever has it may complete the activity. Read it from a file (@FILE) or standard\n" +
	"input (-), because everybody on the machine can see the arguments of a command."

func completeCommand() *command {
	return &command{
		name: "complete", operands: "TOKEN", least: 1, most: 1, payload: "result", also: []string{"succeed", "done"}, words: files,
		short: "complete a pending activity by its token",
		long:  paragraph("Completes the activity with its result. The first completion counts.", "", tokenHelp),
		examples: []string{
			`turnstile complete @token.txt --result '{"approved":true}'`,
			`turnstile complete - --result @result.json`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			result := flags.String("result", "", "`JSON` that it returns, @FILE, or - for standard input; default nothing")
			return func(ctx context.Context, operands []string) error {
				token, err := c.readToken(operands[0], *result == "-")
				if err != nil {
					return err
				}
				payload, err := c.readPayload("result", *result)
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return c.answered("completed", cl.Complete(ctx, token, payload))
			}
		},
	}
}

func failCommand() *command {
	return &command{
		name: "fail", operands: "TOKEN", least: 1, most: 1, words: files,
		short:    "fail a pending activity by its token",
		long:     paragraph("Fails the activity for good: no retry follows.", "", tokenHelp),
		examples: []string{`turnstile fail @token.txt --message 'the bank refused' --code declined`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			message := flags.String("message", "", "`TEXT` of the error; required")
			code := flags.String("code", "", "`CODE` of the error, which the orchestration can act on")
			details := flags.String("details", "", "`JSON` with more, @FILE, or - for standard input")
			return func(ctx context.Context, operands []string) error {
				if *message == "" {
					return usagef("fail needs --message TEXT: why the activity failed")
				}
				token, err := c.readToken(operands[0], *details == "-")
				if err != nil {
					return err
				}
				f := backend.Failure{Message: *message, Code: *code}
				if f.Details, err = c.readPayload("details", *details); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return c.answered("failed", cl.Fail(ctx, token, f))
			}
		},
	}
}

func heartbeatCommand() *command {
	return &command{
		name: "heartbeat", operands: "TOKEN", least: 1, most: 1, also: []string{"beat"}, words: files,
		short:    "report by its token that a pending activity is still worked on",
		long:     paragraph("Restarts the heartbeat timeout of the activity. Fails if the activity was cancelled.", "", tokenHelp),
		examples: []string{`turnstile heartbeat @token.txt --details '{"page":17}'`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			details := flags.String("details", "", "`JSON` for the next attempt, @FILE, or - for standard input; default: the details given before")
			return func(ctx context.Context, operands []string) error {
				token, err := c.readToken(operands[0], *details == "-")
				if err != nil {
					return err
				}
				payload, err := c.readPayload("details", *details)
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return c.answered("heartbeat", cl.Heartbeat(ctx, token, payload))
			}
		},
	}
}

// readToken reads a token: as it stands, from a file (@FILE) or from standard input
// (-), which a flag may have taken already.
func (c *cli) readToken(operand string, taken bool) (string, error) {
	var data []byte
	var err error
	file, isFile := strings.CutPrefix(operand, "@")
	switch {
	case operand == "-" && taken:
		return "", usagef("only one of token and JSON can come from standard input")
	case operand == "-":
		data, err = io.ReadAll(c.in)
	case isFile:
		data, err = os.ReadFile(file)
	default:
		return operand, nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	if data := strings.TrimSpace(string(data)); data != "" {
		return data, nil
	}
	return "", usagef("there is no token in %s: it is empty", operand)
}

// answered says that what was said of an activity was sent.
func (c *cli) answered(what string, err error) error {
	if err == nil {
		fmt.Fprintf(c.err, "sent: %s\n", what)
	}
	return err
}
