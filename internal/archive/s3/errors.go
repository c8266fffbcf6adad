package s3

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Error says that a bucket did not take or give an object, or is not there, and what to do.
type Error struct {
	// Key of the object; empty where the bucket itself was asked for.
	Bucket, Key string
	// Advice is what to do; empty where it is to be tried again.
	Advice string
	// Denied is whether a permission is missing.
	Denied bool
	Err    error
}

func (e *Error) Error() string {
	what := fmt.Sprintf("bucket %q", e.Bucket)
	if e.Key != "" {
		what = fmt.Sprintf("object %q of %s", e.Key, what)
	}
	if e.Advice == "" {
		return fmt.Sprintf("archive: %s: %v", what, e.Err)
	}
	return fmt.Sprintf("archive: %s: %s: %v", what, e.Advice, e.Err)
}

// Unwrap returns the error of the SDK.
func (e *Error) Unwrap() error { return e.Err }

func (a *Archive) advice(err error) string {
	key := ""
	if a.opts.KMSKeyARN != "" {
		key = "; and that it may call kms:GenerateDataKey and kms:Decrypt on " + a.opts.KMSKeyARN
	}
	return Advice(err, fmt.Sprintf("check that the role of the orchestrator may call s3:PutObject under %q, in its own policy and in that of the bucket%s", a.opts.Prefix, key))
}

// denied reports whether an answer of S3 is that a permission is missing.
func denied(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "AccessDenied", "AllAccessDisabled", "Forbidden", "KMS.AccessDeniedException":
		return true
	}
	return false
}

// Advice says what to do about an answer of S3, where that is known; ifDenied is for an answer
// that permissions are missing.
func Advice(err error, ifDenied string) string {
	var api smithy.APIError
	if !errors.As(err, &api) || retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return ""
	}
	if denied(err) {
		return "access is denied; " + ifDenied
	}
	switch api.ErrorCode() {
	case "NoSuchBucket", "NotFound": // The second of a HEAD, whose answer has no body.
		return "there is no such bucket; make it, or correct the parameter ArchiveBucket of the stack"
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "MovedPermanently", "BadRequest":
		var answer *awshttp.ResponseError
		if errors.As(err, &answer) && answer.Response != nil {
			if region := answer.Response.Header.Get("X-Amz-Bucket-Region"); region != "" {
				return fmt.Sprintf("the bucket is in region %s; it has to be in that of the stack", region)
			}
		}
		return "the bucket is in another region; it has to be in that of the stack"
	case "NoSuchKey":
		return "there is no such object; list what there is with `aws s3 ls`"
	case "KMS.NotFoundException", "KMS.DisabledException", "KMS.KMSInvalidStateException":
		return "the key that encrypts it is not there, or disabled; see docs/guide/customer-key.md"
	}
	return ""
}
