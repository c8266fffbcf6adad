package s3

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Error says that a bucket did not take or give an object, and what to do.
type Error struct {
	Bucket, Key string
	// Advice is what to do; empty where it is to be tried again.
	Advice string
	Err    error
}

func (e *Error) Error() string {
	if e.Advice == "" {
		return fmt.Sprintf("archive: object %q of bucket %q: %v", e.Key, e.Bucket, e.Err)
	}
	return fmt.Sprintf("archive: object %q of bucket %q: %s: %v", e.Key, e.Bucket, e.Advice, e.Err)
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

// Advice says what to do about an answer of S3, where that is known; denied is for an answer
// that permissions are missing.
func Advice(err error, denied string) string {
	var api smithy.APIError
	if !errors.As(err, &api) || retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary {
		return ""
	}
	switch api.ErrorCode() {
	case "NoSuchBucket", "NotFound": // The second of a HEAD, whose answer has no body.
		return "there is no such bucket; make it, or correct the parameter ArchiveBucket of the stack"
	case "AccessDenied", "AllAccessDisabled", "Forbidden", "KMS.AccessDeniedException":
		return "access is denied; " + denied
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
