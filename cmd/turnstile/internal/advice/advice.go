// Package advice suggests what to do about an error.
package advice

import (
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// Of returns advice for an error. It returns "" if the error contains its own advice, or if no
// advice is known.
func Of(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		if text := ofCode(api.ErrorCode(), api.ErrorMessage()); text != "" {
			return text
		}
	}
	text := err.Error()
	var wait *client.WaitError
	var corrupt *store.CorruptError
	var unknown *codec.UnknownError
	var unreachable *remote.UnreachableError
	var said *remote.Error
	switch {
	case errors.Is(err, client.ErrNoQueries):
		return "The query function is in the stack's output QueryFunction, or in TURNSTILE_QUERY_FUNCTION. If the stack has none, deploy the template of this build."
	case errors.As(err, &said) && said.Said.Advice != "":
		return "" // The text of the error contains the console's advice.
	case errors.As(err, &wait) && wait.Last != nil && wait.Last.Problem != nil:
		return views.ProblemAdvice(wait.Last.Problem.Kind)
	case errors.As(err, &wait):
		return "The instance continues. Wait again with a longer --timeout."
	case errors.As(err, &corrupt):
		return views.ProblemAdvice(store.ProblemCorrupt)
	case errors.As(err, &unreachable):
		return "The program has ended or is being built: `turnstile dev` prints the address of its console."
	case errors.As(err, &unknown):
		return "To decode it, " + keyfile.Advice + "."
	case errors.Is(err, history.ErrNewer):
		return "A newer build wrote this history. Use a turnstile command of that version."
	case errors.Is(err, store.ErrBadPageToken):
		return "Use the command printed after the previous page, without changes."
	case strings.Contains(text, "connection refused"), strings.Contains(text, "no such host"):
		return "The server does not respond. For the local stack, run localstack/local.sh up and check AWS_ENDPOINT_URL; on AWS, check --region."
	case strings.Contains(text, "failed to refresh cached credentials"), strings.Contains(text, "get credentials"):
		return "No AWS credentials were found. Log in or pass --profile. For the local stack: eval \"$(localstack/local.sh env)\""
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, queue.ErrUnavailable):
		return "The error is temporary: try again."
	}
	return ""
}

func ofCode(code, text string) string {
	switch code {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation":
		return "The AWS role does not have this permission. The stack's output OperatePolicyArn is a policy for all commands, and WatchPolicyArn one for commands that only read; query also requires QueryPolicyArn, and doctor DoctorPolicyArn."
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired":
		return "The AWS session has expired: log in again."
	case "UnrecognizedClientException", "InvalidClientTokenId", "SignatureDoesNotMatch", "InvalidSignatureException":
		return "AWS rejects these credentials: check --profile and the AWS_ variables. For the local stack: eval \"$(localstack/local.sh env)\""
	case "ValidationError":
		if strings.Contains(text, "does not exist") {
			return "Check the name, --region and --profile: `aws cloudformation list-stacks` lists the stacks."
		}
	case "ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist":
		return "The table, queue or function does not exist: check the account and the region, and that the stack is deployed."
	}
	return ""
}
