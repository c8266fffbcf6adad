package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

// Client has the methods of *s3.Client that an Archive uses.
type Client interface {
	HeadBucket(context.Context, *awss3.HeadBucketInput, ...func(*awss3.Options)) (*awss3.HeadBucketOutput, error)
	PutObject(context.Context, *awss3.PutObjectInput, ...func(*awss3.Options)) (*awss3.PutObjectOutput, error)
}

var _ Client = (*awss3.Client)(nil)

// NewClient returns a client. With an endpoint other than AWS, such as an emulator, the bucket is part
// of the path, because there is no host name for each bucket there.
func NewClient(cfg aws.Config) *awss3.Client {
	return awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
}

// Options of an archive.
type Options struct {
	// Bucket stores the documents, under Prefix, which is "" or ends with "/".
	Bucket, Prefix string
	// Owner is the account that owns the bucket: S3 refuses a request to a bucket of another account,
	// such as one that took over the name. Empty for any account.
	Owner string
	// KMSKeyARN is the key that encrypts the documents; empty for the default encryption of the bucket.
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

// Keep stores a document; see store.Archive. When it returns, S3 has stored the document on several
// devices in several zones. An error is an *Error; it wraps errors.ErrUnsupported if S3 refuses the
// size or the key of this document.
func (a *Archive) Keep(ctx context.Context, instance string, executionID int64, document []byte) error {
	key := a.opts.Prefix + exports.Name(instance, executionID)
	in := &awss3.PutObjectInput{Bucket: &a.opts.Bucket, Key: &key, Body: bytes.NewReader(document), ContentType: aws.String("application/json"), ExpectedBucketOwner: a.owner()}
	if a.opts.KMSKeyARN != "" {
		in.ServerSideEncryption, in.SSEKMSKeyId = types.ServerSideEncryptionAwsKms, &a.opts.KMSKeyARN
		// One request to KMS serves many objects.
		in.BucketKeyEnabled = aws.Bool(true)
	}
	if _, err := a.client.PutObject(ctx, in); err != nil {
		err = cutShort(ctx, err)
		advice := a.advice(err)
		if api, is := errors.AsType[smithy.APIError](err); is && (api.ErrorCode() == "EntityTooLarge" || api.ErrorCode() == "KeyTooLongError") {
			err = fmt.Errorf("this document cannot be stored (%w): %w", errors.ErrUnsupported, err)
		}
		return &Error{Bucket: a.opts.Bucket, Key: key, Advice: advice, Err: err}
	}
	return nil
}

// Check checks once whether the bucket exists, in the region of the client. An error is an *Error
// without a Key. S3 may deny the check to a role that may put objects: such an error has Denied set,
// and says nothing about the bucket.
func (a *Archive) Check(ctx context.Context) error {
	_, err := a.client.HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: &a.opts.Bucket, ExpectedBucketOwner: a.owner()})
	if err == nil {
		return nil
	}
	err = cutShort(ctx, err)
	return &Error{Bucket: a.opts.Bucket, Denied: denied(err), Err: err,
		Advice: Advice(err, "check that the role of the orchestrator may call s3:ListBucket on the bucket and s3:PutObject in it, in both its own policy and the bucket policy")}
}

// owner returns the owner that a request requires; nil for none.
func (a *Archive) owner() *string {
	if a.opts.Owner == "" {
		return nil
	}
	return &a.opts.Owner
}

// cutShort adds the context's error to err if the context ended the call, whatever error the SDK
// returned.
func cutShort(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}
