package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// tokenHelp explains the token of a pending activity.
const tokenHelp = "The activity passed on the token (ActivityAttempt.CompletionToken) when it became pending. Any holder\n" +
	"of the token can complete the activity. Pass the token as a file (@FILE) or on standard input\n" +
	"(-), because other users of the machine can see a command's arguments."

// onToken returns a command for a pending activity. data is its flag with JSON. declare declares its other flags, and returns the function that sends.
func onToken(cmd *command, data, about, done string, declare func(*cli, *flag.FlagSet) sendPending) *command {
	cmd.operands, cmd.least, cmd.most, cmd.words = "TOKEN", 1, 1, files
	cmd.long += "\n\n" + tokenHelp
	cmd.declare = func(c *cli, flags *flag.FlagSet) action {
		text := flags.String(data, "", about)
		send := declare(c, flags)
		return func(ctx context.Context, operands []string) error {
			token, err := c.readToken(operands[0], *text == "-")
			if err != nil {
				return err
			}
			payload, err := c.readPayload("--"+data, *text)
			if err != nil {
				return err
			}
			cl, err := c.client(ctx)
			if err != nil {
				return err
			}
			sent, err := send(ctx, cl, api.PendingActivity{Token: token}, payload)
			if err != nil {
				return err
			}
			return c.did(c.err, sent, "sent: "+done)
		}
	}
	return cmd
}

type sendPending func(ctx context.Context, cl backend.Instances, of api.PendingActivity, payload json.RawMessage) (api.Sent, error)

func completeCommand() *command {
	return onToken(&command{
		name: "complete", payload: "result", also: []string{"succeed", "done"},
		short: "complete a pending activity by its token",
		long: paragraph("Completes the activity with its result. Only the first completion has an effect. If the command",
			"knows the type of the result, it rejects JSON that does not decode into it, unless --anyway is given."),
		examples: []string{
			`turnstile complete @token.txt --result '{"approved":true}'`,
			`turnstile complete - --result @result.json`,
		},
	}, "result", "result as `JSON`, @FILE, or - for standard input; default none", "completed", func(c *cli, flags *flag.FlagSet) sendPending {
		var check checks
		check.declare(flags)
		return func(ctx context.Context, cl backend.Instances, of api.PendingActivity, payload json.RawMessage) (api.Sent, error) {
			check.result(ctx, cl, of.Token, payload)
			if err := check.passed(c); err != nil {
				return api.Sent{}, err
			}
			return acts.Complete.Call(ctx, cl, "", api.CompleteActivity{PendingActivity: of, Result: payload})
		}
	})
}

func failCommand() *command {
	return onToken(&command{
		name: "fail", short: "fail a pending activity by its token", long: "Fails the activity permanently: it is not retried.",
		examples: []string{`turnstile fail @token.txt --message 'the bank refused' --code declined`},
	}, "details", "error details as `JSON`, @FILE, or - for standard input", "failed", func(_ *cli, flags *flag.FlagSet) sendPending {
		message := flags.String("message", "", "error message `TEXT`; required")
		code := flags.String("code", "", "error `CODE` that the orchestration can check")
		return func(ctx context.Context, cl backend.Instances, of api.PendingActivity, details json.RawMessage) (api.Sent, error) {
			if *message == "" {
				return api.Sent{}, usagef("fail needs --message TEXT with the reason for the failure")
			}
			return acts.Fail.Call(ctx, cl, "", api.FailActivity{PendingActivity: of, Message: *message, Code: *code, Details: details})
		}
	})
}

func heartbeatCommand() *command {
	return onToken(&command{
		name: "heartbeat", also: []string{"beat"}, short: "send a heartbeat for a pending activity by its token",
		long:     "Restarts the heartbeat timeout of the activity. The command fails if the activity was cancelled.",
		examples: []string{`turnstile heartbeat @token.txt --details '{"page":17}'`},
	}, "details", "details for the next attempt as `JSON`, @FILE, or - for standard input; default the previous details", "heartbeat", func(*cli, *flag.FlagSet) sendPending {
		return func(ctx context.Context, cl backend.Instances, of api.PendingActivity, details json.RawMessage) (api.Sent, error) {
			return acts.Heartbeat.Call(ctx, cl, "", api.HeartbeatActivity{PendingActivity: of, Details: details})
		}
	})
}

// readToken returns the token that an operand gives: directly, as a file (@FILE) or on
// standard input (-). taken reports that another flag reads standard input.
func (c *cli) readToken(operand string, taken bool) (string, error) {
	var data []byte
	var err error
	file, isFile := strings.CutPrefix(operand, "@")
	switch {
	case operand == "-" && taken:
		return "", usagef("the token and the JSON cannot both come from standard input")
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
	return "", usagef("the token is empty: %s has no text", operand)
}
