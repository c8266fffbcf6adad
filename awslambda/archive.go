package awslambda

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/turnstile-go/turnstile/internal/archive/s3"
	"github.com/turnstile-go/turnstile/store"
)

// archiveOf is the archive of WithArchive, or a bucket; nil for none.
func (o *options) archiveOf(clients aws.Config, env Config) (store.Archive, error) {
	if env.ArchiveBucket == "" {
		return o.archive, nil
	}
	if o.archive != nil {
		return nil, errors.New("awslambda: WithArchive and TURNSTILE_ARCHIVE_BUCKET are both given: leave out the option, or the parameter ArchiveBucket of the stack")
	}
	return s3.New(s3.NewClient(clients), s3.Options{Bucket: env.ArchiveBucket, Prefix: env.ArchivePrefix, KMSKeyARN: env.ArchiveKeyARN})
}
