package sqs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// failed wraps the error of a call to SQS in the error for the caller.
func (q *Queue) failed(ctx context.Context, what string, err error) error {
	var missing *types.QueueDoesNotExist
	switch {
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		// The context ended the call, whatever error the SDK returned.
		return fmt.Errorf("queue %s: %s: %w: %w", q.url, what, ctx.Err(), err)
	case errors.As(err, &missing):
		return fmt.Errorf("queue %s: %s: there is no such queue; check the URL, the region and that the stack is deployed: %w", q.url, what, err)
	case unavailable(err):
		return fmt.Errorf("queue %s: %s: %w: %w", q.url, what, queue.ErrUnavailable, err)
	}
	return fmt.Errorf("queue %s: %s: %w", q.url, what, err)
}

// passing are the codes of temporary errors, of calls and of entries in a batch, in addition to those
// that the SDK knows. SQS returns some of them with and some without a prefix or suffix, and marks some
// of them as the sender's fault.
var passing = []string{
	"internalerror", "internalfailure", "internalservererror", "serviceunavailable",
	"overlimit", "requestthrottled", "throttling", "throttled", "toomanyrequests",
	"kmsthrottled", "kms.throttling", "requesttimeout",
}

func passingCode(code string) bool {
	code = strings.TrimPrefix(code, "AWS.SimpleQueueService.")
	return slices.Contains(passing, strings.ToLower(strings.TrimSuffix(code, "Exception")))
}

// ofTheMessage reports whether a code, of a call or of an entry in a batch, says that SQS rejects a
// message because of its size or its contents. SQS has no separate code for a message that is longer
// than its queue's MaximumMessageSize: it returns InvalidParameterValue, as for an invalid delay or
// group, and "Message must be shorter than 262144 bytes". A batch whose messages are too long together
// is a BatchRequestTooLong.
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html#API_SendMessage_Errors)
func ofTheMessage(code, message string) (is, tooLarge bool) {
	switch strings.TrimSuffix(strings.TrimPrefix(code, "AWS.SimpleQueueService."), "Exception") {
	case "InvalidMessageContents":
		return true, false
	case "BatchRequestTooLong":
		return true, true
	case "InvalidParameterValue":
		shorter := strings.Contains(message, "must be shorter than")
		return shorter, shorter
	}
	return false, false
}

// unavailable reports whether a call failed for a temporary reason.
func unavailable(err error) bool {
	if retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return true
	}
	var api smithy.APIError
	return errors.As(err, &api) && (api.ErrorFault() == smithy.FaultServer || passingCode(api.ErrorCode()))
}

// receiptError recognizes errors for a receipt that is no longer valid. Besides the typed errors, SQS
// reports it in the text of InvalidParameterValue: "… for parameter ReceiptHandle is invalid. Reason:
// The receipt handle has expired."
func receiptError(err error) error {
	var notInFlight *types.MessageNotInflight
	var api smithy.APIError
	switch {
	case errors.As(err, &notInFlight):
	case errors.As(err, &api) && strings.HasPrefix(api.ErrorCode(), "InvalidParameterValue") && strings.Contains(api.ErrorMessage(), "ReceiptHandle"):
	default:
		return err
	}
	return fmt.Errorf("%w: %w", queue.ErrReceiptExpired, err)
}

// entryError returns the error of an entry of ChangeMessageVisibilityBatch; the codes are those of
// ChangeMessageVisibility.
func entryError(e types.BatchResultErrorEntry) error {
	code := aws.ToString(e.Code)
	err := receiptError(&smithy.GenericAPIError{Code: code, Message: aws.ToString(e.Message)})
	switch {
	case strings.HasSuffix(code, "MessageNotInflight"):
		return fmt.Errorf("%w: %w", queue.ErrReceiptExpired, err)
	case !e.SenderFault || passingCode(code):
		return fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
	}
	return err
}
