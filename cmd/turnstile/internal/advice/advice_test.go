package advice

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

func TestAnErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"OperatePolicyArn":  &smithy.GenericAPIError{Code: "AccessDeniedException"},
		"log in again":      &smithy.GenericAPIError{Code: "ExpiredToken"},
		"--profile":         &smithy.GenericAPIError{Code: "UnrecognizedClientException"},
		"list-stacks":       &smithy.GenericAPIError{Code: "ValidationError", Message: "Stack with id x does not exist"},
		"stack is deployed": &smithy.GenericAPIError{Code: "ResourceNotFoundException"},
		"purge --force":     &store.CorruptError{},
		"that version":      history.ErrNewer,
		"local.sh up":       errors.New("dial tcp: connection refused"),
		"try again":         queue.ErrUnavailable,
	} {
		if got := Of(fmt.Errorf("wrapped: %w", err)); !strings.Contains(got, want) {
			t.Errorf("%v: the hint is %q, without %q", err, got, want)
		}
	}
	if got := Of(errors.New("unheard of")); got != "" {
		t.Errorf("the hint is %q", got)
	}
}
