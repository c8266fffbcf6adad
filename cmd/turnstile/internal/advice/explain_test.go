package advice

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestErrorsOfAWSSayWhatIsMissingAndWhatHasIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, text string
		want       api.Code
		says       []string
	}{
		{"AccessDeniedException", "User: arn:aws:sts::1:assumed-role/r/s is not authorized to perform: dynamodb:Query on resource: arn:aws:dynamodb:eu-central-1:1:table/T/index/by_status because no identity-based policy allows the dynamodb:Query action",
			api.CodeDenied, []string{"the permission dynamodb:Query on arn:aws:dynamodb:eu-central-1:1:table/T/index/by_status", "WatchPolicyArn"}},
		{"AccessDenied", "User: arn:aws:iam::1:user/u is not authorized to perform: sqs:receivemessage on resource: arn:aws:sqs:eu-central-1:1:dead because no identity-based policy allows the sqs:receivemessage action",
			api.CodeDenied, []string{"sqs:receivemessage", "arn:aws:sqs:eu-central-1:1:dead", "OperatePolicyArn"}},
		{"AccessDenied", "User: u is not authorized to perform: sqs:SendMessage on resource: q with an explicit deny in a service control policy", api.CodeDenied, []string{"sqs:SendMessage", "explicitly"}},
		{"AccessDeniedException", "User: u is not authorized to perform: lambda:InvokeFunction on resource: arn:aws:lambda:eu-central-1:1:function:shop-query because no identity-based policy allows it",
			api.CodeDenied, []string{"lambda:InvokeFunction", "shop-query", "QueryPolicyArn"}},
		{"AccessDeniedException", "no", api.CodeDenied, []string{"WatchPolicyArn"}},
		{"ExpiredTokenException", "expired", api.CodeCredentials, []string{"log in again"}},
		{"ResourceNotFoundException", "Requested resource not found", api.CodeOlderStack, []string{"older than this build", "region"}},
		{"ValidationException", "The table does not have the specified index: by_name", api.CodeOlderStack, []string{"by_name", "the template of this build"}},
	} {
		got := Explain(&wrapped{&smithy.GenericAPIError{Code: c.code, Message: c.text}})
		if got == nil || got.Code != c.want {
			t.Errorf("%s: %+v", c.code, got)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(got.Message+" "+got.Advice, s) {
				t.Errorf("%s: %q is not said in %q", c.code, s, got.Message+" "+got.Advice)
			}
		}
	}
	if got := Explain(client.ErrNoQueries); got == nil || got.Code != api.CodeNotOffered || !strings.Contains(got.Advice, "QueryFunction") {
		t.Errorf("a stack without a query function: %+v", got)
	}
	if got := Explain(errors.New("something else")); got != nil {
		t.Errorf("another error is %+v", got)
	}
}

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "turnstile: listing: " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }
