package sqs_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// what SQS says of a message itself is told apart from what it says of the queue, of a
// key and of permissions: these may pass, and a code that is not known may mean them.
func TestQ06OnlySizeAndContentsAreAMessagesOwnFault(t *testing.T) {
	t.Parallel()
	const tooLong = "One or more parameters are invalid. Reason: Message must be shorter than 262144 bytes."
	for _, c := range []struct {
		name, code, message string
		rejected, tooLarge  bool
	}{
		{"too long for its queue", "InvalidParameterValue", tooLong, true, true},
		{"too long, as an emulator says it", "InvalidParameterValueException", tooLong, true, true},
		{"a character that SQS does not carry", "InvalidMessageContents", "Invalid binary character '#x7' was found in the message body", true, false},
		{"another parameter", "InvalidParameterValue", "Value 901 for parameter DelaySeconds is invalid.", false, false},
		{"a key that may not be used", "KmsAccessDenied", "The caller does not have the required permissions to use KMS key.", false, false},
		{"a key that is disabled", "KmsDisabled", "", false, false},
		{"no permission", "AccessDenied", "", false, false},
		{"a code that nobody knows", "SomethingNew", "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			entry := types.BatchResultErrorEntry{Code: aws.String(c.code), Message: aws.String(c.message), SenderFault: true}
			inEntry := &fake{send: func(_ int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
				return answer(in, failures{"b": entry}), nil
			}}
			ofCall := &fake{send: func(_ int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
				for _, e := range in.Entries {
					if *e.MessageBody == "b" {
						return nil, &smithy.GenericAPIError{Code: c.code, Message: c.message, Fault: smithy.FaultClient}
					}
				}
				return allIn(in), nil
			}}
			for where, f := range map[string]*fake{"entry": inEntry, "call": ofCall} {
				err := f.open(t, standardURL).Send(t.Context(), plain("a", "b", "c")...)
				rejected, is := errors.AsType[*queue.RejectedError](queue.ErrorOf(err, 1))
				switch {
				case is != c.rejected:
					t.Errorf("%s: %v; a rejection of the message: %t, want %t", where, err, is, c.rejected)
				case is && (rejected.TooLarge != c.tooLarge || rejected.Index != 1):
					t.Errorf("%s: %+v; want message 1, too large: %t", where, rejected, c.tooLarge)
				case is && (queue.ErrorOf(err, 0) != nil || queue.ErrorOf(err, 2) != nil):
					t.Errorf("%s: %v; the others of the batch are in", where, err)
				case errors.Is(err, queue.ErrUnavailable):
					t.Errorf("%s: %v counts as a passing fault", where, err)
				case !is && !strings.Contains(err.Error(), c.code):
					t.Errorf("%s: %v does not name the code", where, err)
				}
			}
		})
	}
}

// A queue that takes messages of 256 KiB takes batches of 256 KiB: what is too long
// together goes one by one.
func TestATooLargeBatchIsSentOneByOne(t *testing.T) {
	t.Parallel()
	f := &fake{send: func(_ int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		size := 0
		for _, e := range in.Entries {
			size += len(*e.MessageBody)
		}
		if size > 3 {
			return nil, &types.BatchRequestTooLong{Message: aws.String("Batch requests cannot be longer than 3 bytes.")}
		}
		return allIn(in), nil
	}}
	err := f.open(t, standardURL).Send(t.Context(), plain("aa", "bb", "cccc", "d")...)
	rejected, is := errors.AsType[*queue.RejectedError](err)
	if !is || rejected.Index != 2 || !rejected.TooLarge {
		t.Errorf("Send: %v, want that message 2 is too long", err)
	}
	if got, want := f.sent(), [][]string{{"aa", "bb", "cccc", "d"}, {"aa"}, {"bb"}, {"cccc"}, {"d"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if err := f.open(t, standardURL).Send(context.WithoutCancel(t.Context()), plain("aa", "bb")...); err != nil {
		t.Errorf("Send: %v, and each of the messages is short enough", err)
	}
}
