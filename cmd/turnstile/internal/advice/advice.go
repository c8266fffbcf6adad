// Package advice says what to do about an error.
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

// Of says what to do about an error. It is empty if the error says that itself, or nothing
// is known.
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
	switch {
	case errors.As(err, &wait) && wait.Last != nil && wait.Last.Problem != nil:
		return views.ProblemAdvice(wait.Last.Problem.Kind)
	case errors.As(err, &wait):
		return "It goes on without being waited for. Wait again, with a longer --timeout."
	case errors.As(err, &corrupt):
		return views.ProblemAdvice(store.ProblemCorrupt)
	case errors.As(err, &unreachable):
		return "It has ended, or is being built: `turnstile dev` says where its console is."
	case errors.As(err, &unknown):
		return "To see it, " + keyfile.Advice + "."
	case errors.Is(err, history.ErrNewer):
		return "A newer build wrote this history. Use a turnstile command of that version."
	case errors.Is(err, store.ErrBadPageToken):
		return "Use the command that was printed behind the page before, as it stands."
	case strings.Contains(text, "connection refused"), strings.Contains(text, "no such host"):
		return "Nothing answers there. Start the local stack with localstack/local.sh up and check AWS_ENDPOINT_URL; on AWS check --region."
	case strings.Contains(text, "failed to refresh cached credentials"), strings.Contains(text, "get credentials"):
		return "No AWS credentials were found. Log in, give --profile, or for the local stack: eval \"$(localstack/local.sh env)\""
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, queue.ErrUnavailable):
		return "This passes: try again."
	}
	return ""
}

func ofCode(code, text string) string {
	switch code {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation":
		return "The role in use may not do this. The stack's output OperatePolicyArn is a policy for all commands, WatchPolicyArn one for those that only look; doctor needs DoctorPolicyArn besides."
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired":
		return "The AWS session has expired: log in again."
	case "UnrecognizedClientException", "InvalidClientTokenId", "SignatureDoesNotMatch", "InvalidSignatureException":
		return "These AWS credentials are not taken: check --profile and the AWS_ variables. For the local stack: eval \"$(localstack/local.sh env)\""
	case "ValidationError":
		if strings.Contains(text, "does not exist") {
			return "Check the name, --region and --profile: `aws cloudformation list-stacks` shows what is there."
		}
	case "ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist":
		return "The table or queue is not there: is this the right account and region, and is the stack still deployed?"
	}
	return ""
}
