package backend

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
	"github.com/turnstile-go/turnstile/internal/archive/s3"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

const (
	bucketVariable = "TURNSTILE_ARCHIVE_BUCKET"
	prefixVariable = "TURNSTILE_ARCHIVE_PREFIX"
)

// mostArchived bounds the document of an execution that is read: the longest history has
// 200 MB of events.
const mostArchived = 1 << 30

// IsArchived reports whether the operand of a command is an object of a bucket.
func IsArchived(what string) bool { return strings.HasPrefix(what, "s3://") }

// Archived implements [Backend].
func (b AWS) Archived(ctx context.Context, what string) ([]byte, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(what, "s3://"), "/")
	if bucket == "" || key == "" || strings.HasSuffix(key, "/") {
		return nil, usage.Errorf("%s is not an object of a bucket: give s3://BUCKET/PREFIX/INSTANCE/EXECUTION.json", what)
	}
	cfg, err := b.config(ctx)
	if err != nil {
		return nil, err
	}
	failed := func(err error) error {
		return &s3.Error{Bucket: bucket, Key: key, Err: err, Advice: s3.Advice(err, "s3:GetObject on it is needed, which the policy of the output WatchPolicyArn grants; without s3:ListBucket S3 says so of an object that is not there, too")}
	}
	got, err := s3.NewClient(cfg).GetObject(ctx, &awss3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, failed(err)
	}
	defer func() { _ = got.Body.Close() }()
	if size := aws.ToInt64(got.ContentLength); size > mostArchived {
		return nil, fmt.Errorf("%s has %d bytes: an archived execution has at most %d", what, size, mostArchived)
	}
	data, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, failed(err)
	}
	return data, nil
}

// checkArchive looks at the bucket that gets what is purged, if there is one.
func (b AWS) checkArchive(ctx context.Context) ([]api.Finding, error) {
	cfg, found, err := b.Addresses(ctx, address.OrchestratorFunction)
	if err != nil {
		return nil, err
	}
	name := found[address.OrchestratorFunction]
	function, err := lambda.NewFromConfig(cfg).GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &name})
	if err != nil {
		return nil, fmt.Errorf("function %s: %w", name, err)
	}
	if function.Environment == nil || function.Environment.Variables[bucketVariable] == "" {
		return nil, nil
	}
	bucket := function.Environment.Variables[bucketVariable]
	f := api.Finding{Area: "archive", Level: doctor.OK, Text: fmt.Sprintf("the bucket %s is there; what is purged is kept under %q", bucket, function.Environment.Variables[prefixVariable])}
	got, err := s3.NewClient(cfg).HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: &bucket})
	denied := "not looked at: s3:ListBucket on the bucket is needed, which the policy of the output DoctorPolicyArn grants"
	if err != nil {
		f.Level, f.Text, f.Advice = doctor.Problem, fmt.Sprintf("the bucket %s: %s", bucket, plain.Message(err)), s3.Advice(err, denied)
		if strings.HasSuffix(f.Advice, denied) {
			f.Level = doctor.Unknown
		}
		return []api.Finding{f}, ctx.Err()
	}
	if region := aws.ToString(got.BucketRegion); region != "" && region != cfg.Region {
		f.Level, f.Text = doctor.Problem, fmt.Sprintf("the bucket %s is in %s, the stack in %s: nothing is archived, and nothing is purged", bucket, region, cfg.Region)
		f.Advice = "Give the stack a bucket of its own region by the parameter ArchiveBucket."
	}
	return []api.Finding{f}, nil
}
