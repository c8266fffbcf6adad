package s3

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Error says that a bucket could not store or return an object, or does not exist, and what to do.
type Error struct {
	// Key of the object; empty if the request was for the bucket itself.
	Bucket, Key string
	// Advice says what to do; empty if the call should be repeated.
	Advice string
	// Denied says whether a permission is missing.
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
	also := ""
	if a.opts.Owner != "" {
		also = "; that the bucket belongs to account " + a.opts.Owner
	}
	if a.opts.KMSKeyARN != "" {
		also += "; and that it may call kms:GenerateDataKey and kms:Decrypt on " + a.opts.KMSKeyARN
	}
	return Advice(err, fmt.Sprintf("check that the role of the orchestrator may call s3:PutObject under %q, in both its own policy and the bucket policy%s", a.opts.Prefix, also))
}

// denied reports whether a response of S3 says that a permission is missing.
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

// Advice returns what to do about a response of S3, if that is known; ifDenied is the advice if
// permissions are missing.
func Advice(err error, ifDenied string) string {
	var api smithy.APIError
	if !errors.As(err, &api) || retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return ""
	}
	if denied(err) {
		return "access is denied; " + ifDenied
	}
	switch api.ErrorCode() {
	case "NoSuchBucket", "NotFound": // NotFound is the code of a HEAD, whose response has no body.
		return "there is no such bucket; create it, or correct the parameter ArchiveBucket of the stack"
	case "PermanentRedirect", "AuthorizationHeaderMalformed", "MovedPermanently", "BadRequest":
		var answer *awshttp.ResponseError
		if errors.As(err, &answer) && answer.Response != nil {
			if region := answer.Response.Header.Get("X-Amz-Bucket-Region"); region != "" {
				return fmt.Sprintf("the bucket is in region %s; it must be in the region of the stack", region)
			}
		}
		return "the bucket is in a different region; it must be in the region of the stack"
	case "NoSuchKey":
		return "there is no such object; list the objects with `aws s3 ls`"
	case "KMS.NotFoundException", "KMS.DisabledException", "KMS.KMSInvalidStateException":
		return "the key that encrypts it does not exist or is disabled; see docs/guide/customer-key.md"
	}
	return ""
}
