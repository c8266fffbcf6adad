package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/turnstile-go/turnstile/internal/archive"
	"github.com/turnstile-go/turnstile/store"
)

// Client is what an Archive uses of *s3.Client.
type Client interface {
	HeadBucket(context.Context, *awss3.HeadBucketInput, ...func(*awss3.Options)) (*awss3.HeadBucketOutput, error)
	PutObject(context.Context, *awss3.PutObjectInput, ...func(*awss3.Options)) (*awss3.PutObjectOutput, error)
}

var _ Client = (*awss3.Client)(nil)

// NewClient makes a client. An endpoint other than that of AWS, such as an emulator's, has the
// bucket in the path, because nobody resolves a host name for each bucket there.
func NewClient(cfg aws.Config) *awss3.Client {
	return awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
}

// Options of an archive.
type Options struct {
	// Bucket takes the documents, under Prefix, which is "" or ends with "/".
	Bucket, Prefix string
	// KMSKeyARN encrypts them; empty for the default encryption of the bucket.
	KMSKeyARN string
}

// Archive is an archive in a bucket. It implements store.Archive and is safe for concurrent
// use.
type Archive struct {
	client Client
	opts   Options
}

var _ store.Archive = (*Archive)(nil)

// New returns an archive. It makes no request.
func New(client Client, opts Options) (*Archive, error) {
	if client == nil || opts.Bucket == "" {
		return nil, errors.New("archive: s3: no client, or no bucket")
	}
	return &Archive{client: client, opts: opts}, nil
}

// Keep puts a document; see store.Archive. S3 has it on several devices in several zones
// when it answers. An error is an *Error.
func (a *Archive) Keep(ctx context.Context, instance string, executionID int64, document []byte) error {
	key := a.opts.Prefix + archive.Name(instance, executionID)
	in := &awss3.PutObjectInput{Bucket: &a.opts.Bucket, Key: &key, Body: bytes.NewReader(document), ContentType: aws.String("application/json")}
	if a.opts.KMSKeyARN != "" {
		in.ServerSideEncryption, in.SSEKMSKeyId = types.ServerSideEncryptionAwsKms, &a.opts.KMSKeyARN
		// One request to KMS serves many objects.
		in.BucketKeyEnabled = aws.Bool(true)
	}
	if _, err := a.client.PutObject(ctx, in); err != nil {
		err = cutShort(ctx, err)
		return &Error{Bucket: a.opts.Bucket, Key: key, Advice: a.advice(err), Err: err}
	}
	return nil
}

// Check asks once whether the bucket is there, in the region of the client. An error is an
// *Error without a Key. S3 also denies the question to a role that may put objects: such an
// error has Denied, and says nothing of the bucket.
func (a *Archive) Check(ctx context.Context) error {
	_, err := a.client.HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: &a.opts.Bucket})
	if err == nil {
		return nil
	}
	err = cutShort(ctx, err)
	return &Error{Bucket: a.opts.Bucket, Denied: denied(err), Err: err,
		Advice: Advice(err, "check that the role of the orchestrator may call s3:ListBucket on the bucket, in its own policy and in that of the bucket, and s3:PutObject in it")}
}

// cutShort says of an error that the context ended the call, whatever the SDK made of it.
func cutShort(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}
