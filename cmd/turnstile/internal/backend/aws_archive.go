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
	ownerVariable  = "TURNSTILE_ARCHIVE_BUCKET_OWNER"
)

// mostArchived limits the size of an archived execution. The longest history has 200 MB of events.
const mostArchived = 1 << 30

// IsArchived reports whether an operand names an S3 object.
func IsArchived(what string) bool { return strings.HasPrefix(what, "s3://") }

// Archived implements [Backend].
func (b AWS) Archived(ctx context.Context, what string) ([]byte, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(what, "s3://"), "/")
	if bucket == "" || key == "" || strings.HasSuffix(key, "/") {
		return nil, usage.Errorf("%s is not an S3 object: give s3://BUCKET/PREFIX/INSTANCE/EXECUTION.json", what)
	}
	cfg, err := b.config(ctx)
	if err != nil {
		return nil, err
	}
	failed := func(err error) error {
		return &s3.Error{Bucket: bucket, Key: key, Err: err, Advice: s3.Advice(err, "the command needs s3:GetObject on the object, which the policy in the stack output WatchPolicyArn grants; without s3:ListBucket, S3 returns this error for a missing object too")}
	}
	got, err := s3.NewClient(cfg).GetObject(ctx, &awss3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, failed(err)
	}
	defer func() { _ = got.Body.Close() }()
	if size := aws.ToInt64(got.ContentLength); size > mostArchived {
		return nil, fmt.Errorf("%s has %d bytes, but an archived execution has at most %d", what, size, mostArchived)
	}
	data, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, failed(err)
	}
	return data, nil
}

// checkArchive checks the bucket that receives purged histories, if the stack has one.
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
	f := api.Finding{Area: "archive", Level: doctor.OK, Text: fmt.Sprintf("the bucket %s exists; purged histories are archived under %q", bucket, function.Environment.Variables[prefixVariable])}
	in := awss3.HeadBucketInput{Bucket: &bucket}
	denied := "not checked: the check needs s3:ListBucket on the bucket, which the policy in the stack output DoctorPolicyArn grants"
	if owner := function.Environment.Variables[ownerVariable]; owner != "" {
		in.ExpectedBucketOwner = &owner
		denied += "; or the bucket does not belong to account " + owner + ", so nothing is archived"
	}
	got, err := s3.NewClient(cfg).HeadBucket(ctx, &in)
	if err != nil {
		f.Level, f.Text, f.Advice = doctor.Problem, fmt.Sprintf("the bucket %s: %s", bucket, plain.Message(err)), s3.Advice(err, denied)
		if strings.HasSuffix(f.Advice, denied) {
			f.Level = doctor.Unknown
		}
		return []api.Finding{f}, ctx.Err()
	}
	if region := aws.ToString(got.BucketRegion); region != "" && region != cfg.Region {
		f.Level, f.Text = doctor.Problem, fmt.Sprintf("the bucket %s is in %s, but the stack is in %s: nothing is archived or purged", bucket, region, cfg.Region)
		f.Advice = "Set the parameter ArchiveBucket to a bucket in the stack's region."
	}
	return []api.Finding{f}, nil
}
