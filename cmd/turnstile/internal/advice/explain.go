package advice

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Explain converts an AWS error to an error of the console's API. It returns nil for other errors.
func Explain(err error) *api.Error {
	text := plain.Message(err)
	var of smithy.APIError
	if !errors.As(err, &of) {
		switch {
		case errors.Is(err, client.ErrNoQueries):
			return &api.Error{Code: api.CodeNotOffered, Message: text, Advice: Of(err)}
		case strings.Contains(text, "connection refused"), strings.Contains(text, "no such host"):
			return &api.Error{Code: api.CodeUnavailable, Message: text, Advice: Of(err)}
		case strings.Contains(text, "failed to refresh cached credentials"), strings.Contains(text, "get credentials"):
			return &api.Error{Code: api.CodeCredentials, Message: text, Advice: Of(err)}
		}
		return nil
	}
	switch of.ErrorCode() {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation":
		return denied(of.ErrorMessage())
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired", "UnrecognizedClientException", "InvalidClientTokenId", "SignatureDoesNotMatch", "InvalidSignatureException":
		return &api.Error{Code: api.CodeCredentials, Message: text, Advice: Of(err)}
	case "ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist":
		return &api.Error{Code: api.CodeOlderStack, Message: "a table, queue or function does not exist: " + text,
			Advice: "If the stack is older than this build, deploy the template of this build. Otherwise check the account and the region."}
	case "ValidationException":
		if strings.Contains(of.ErrorMessage(), "specified index") {
			return &api.Error{Code: api.CodeOlderStack, Message: "an index that this build needs does not exist: " + text,
				Advice: "The stack is older than this build: deploy the template of this build, or use the turnstile command of the stack's version."}
		}
	}
	return nil
}

// refusal matches the action and the resource in an AWS error about a missing permission.
var refusal = regexp.MustCompile(`not authorized to perform: (\S+)(?: on resource: (\S+))?`)

// denied returns the error for a missing permission, with the template's policy that grants it.
func denied(text string) *api.Error {
	e := &api.Error{Code: api.CodeDenied, Message: "AWS denied the request: " + text}
	m := refusal.FindStringSubmatch(text)
	if m == nil {
		e.Advice = "The stack's output WatchPolicyArn is a managed policy for reading, OperatePolicyArn one that also allows actions and dead letters."
		return e
	}
	action, resource := strings.Trim(m[1], `,."`), strings.Trim(m[2], `,."`)
	e.Message = fmt.Sprintf("the AWS role does not have the permission %s", action)
	if resource != "" {
		e.Message += " on " + resource
	}
	e.Advice = "Attach the managed policy of the stack's output " + policyOf(action) + "."
	if strings.Contains(text, "explicit deny") {
		e.Advice = "A policy denies it explicitly, which no other policy can override: ask the owner of that policy."
	}
	return e
}

// policyOf returns the stack output with the policy that allows an action.
func policyOf(action string) string {
	switch action {
	case "cloudformation:DescribeStacks", "lambda:ListEventSourceMappings", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "sqs:GetQueueAttributes", "cloudwatch:GetMetricData":
		return "WatchPolicyArn, or OperatePolicyArn"
	case "lambda:GetFunctionConfiguration", "lambda:GetFunctionRecursionConfig", "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive", "dynamodb:DescribeContinuousBackups":
		return "DoctorPolicyArn"
	case "lambda:InvokeFunction":
		return "QueryPolicyArn"
	case "sqs:SendMessage":
		return "OperatePolicyArn (only to start and raise events: StartPolicyArn)"
	}
	return "OperatePolicyArn"
}
