package dynamo

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// outcome is the outcome of an attempt at a request.
type outcome uint8

const (
	// done means that the attempt took effect.
	done outcome = iota
	// busy means that the attempt had no effect, for a temporary reason; repeat it.
	busy
	// unknown means that the attempt may have had an effect, or may have one later.
	unknown
	// refused means that a condition did not hold; the response has the item.
	refused
	// cancelled means that the transaction had no effect; its reasons say why.
	cancelled
	// mismatched means that the request token was used for a different request.
	mismatched
	// failed means that the attempt had no effect, and repeating it does not help.
	failed
)

// outcomeOf classifies the error of one attempt without SDK retries. An error counts as unknown unless
// it is known that the attempt had no effect.
func outcomeOf(err error) outcome {
	if err == nil {
		return done
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return outcomeOfCode(api, err)
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return busy // nothing was sent
	}
	var serialization *smithy.SerializationError
	if errors.As(err, &serialization) {
		return failed // nothing was sent
	}
	return unknown
}

func outcomeOfCode(api smithy.APIError, err error) outcome {
	switch api.ErrorCode() {
	case "ConditionalCheckFailedException":
		return refused
	case "TransactionCanceledException":
		return cancelled
	case "IdempotentParameterMismatchException":
		return mismatched
	case
		// A transaction, or a replica in another region, holds the item.
		"TransactionConflictException", "ReplicatedWriteConflictException",
		// Refused before it was processed; the SDK uses the response to correct its clock.
		"RequestTimeTooSkewed", "RequestExpired",
		// Refused too; the SDK renews the credentials, like those of a role, before it signs the next
		// attempt.
		"ExpiredTokenException", "ExpiredToken":
		return busy
	case "TransactionInProgressException",
		// An earlier attempt with this request token is still in progress, or the service timed out
		// waiting for the rest of a request.
		"RequestTimeout", "RequestTimeoutException":
		return unknown
	}
	// Throttling of a table, of one of its indexes (whose writes throttle the table's), or of the
	// account; also of on-demand tables that grow. In a transaction these are reasons.
	if _, throttled := retry.DefaultThrottleErrorCodes[api.ErrorCode()]; throttled {
		return busy
	}
	var response *smithyhttp.ResponseError
	answered := errors.As(err, &response)
	switch {
	case answered && response.HTTPStatusCode() == http.StatusTooManyRequests:
		return busy
	case api.ErrorFault() == smithy.FaultServer, answered && response.HTTPStatusCode() >= 500:
		// InternalServerError and ServiceUnavailable: they do not show whether a write had an
		// effect.
		return unknown
	}
	return failed
}

// reason is one entry of TransactionCanceledException.CancellationReasons.
type reason uint8

const (
	reasonNone reason = iota
	reasonCondition
	// reasonBusy is another transaction, or throttling; it is temporary.
	reasonBusy
	// reasonInvalid means that the item cannot be written at all.
	reasonInvalid
)

func reasonOf(r types.CancellationReason) reason {
	if r.Code == nil {
		return reasonNone
	}
	switch *r.Code {
	case "None":
		return reasonNone
	case "ConditionalCheckFailed":
		return reasonCondition
	case "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError":
		return reasonBusy
	}
	// ValidationError, ItemCollectionSizeLimitExceeded, and any reason that is not documented today.
	return reasonInvalid
}

// reasonsText lists reasons for an error: "[None, ValidationError: text]".
func reasonsText(reasons []types.CancellationReason) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, r := range reasons {
		if i > 0 {
			b.WriteString(", ")
		}
		if r.Code == nil {
			b.WriteString("None")
			continue
		}
		b.WriteString(*r.Code)
		if r.Message != nil && *r.Message != "" {
			b.WriteString(": " + *r.Message)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// tooLarge reports whether DynamoDB refused an item or a request because of its size. This can happen
// to updates of a record, because the record's size is not known in advance.
func tooLarge(message string) bool {
	return strings.Contains(message, "size has exceeded") || strings.Contains(message, "size to update has exceeded") ||
		strings.Contains(message, "exceeds the maximum")
}

// request describes a request for errors: "commit of instance "a" execution 1 event 7".
type request struct {
	what, instance       string
	executionID, eventID int64
}

func (r request) String() string {
	s := r.what
	if r.instance != "" {
		s += fmt.Sprintf(" of instance %q", r.instance)
	}
	if r.executionID > 0 {
		s += fmt.Sprintf(" execution %d", r.executionID)
	}
	if r.eventID > 0 {
		s += fmt.Sprintf(" event %d", r.eventID)
	}
	return s
}

// advice returns what to do about errors that are common in a new deployment.
func advice(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	switch api.ErrorCode() {
	case "ResourceNotFoundException":
		return " (check the table names, and that the tables exist in this region and account)"
	case "AccessDeniedException":
		return " (the function's role lacks a permission on the table; compare it with template.yaml)"
	}
	return ""
}
