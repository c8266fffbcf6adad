package awslambda

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/archive/s3"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/store"
)

// archiveOf returns the archive of WithArchive, or of the bucket; nil for none.
func (o *options) archiveOf(clients aws.Config, env Config) (store.Archive, error) {
	if env.ArchiveBucket == "" {
		return o.archive, nil
	}
	if o.archive != nil {
		return nil, errors.New("awslambda: WithArchive and TURNSTILE_ARCHIVE_BUCKET are both given: leave out the option, or the parameter ArchiveBucket of the stack")
	}
	return s3.New(s3.NewClient(clients), s3.Options{Bucket: env.ArchiveBucket, Prefix: env.ArchivePrefix, Owner: env.ArchiveBucketOwner, KMSKeyARN: env.ArchiveKeyARN})
}

// archiveCheck checks once per process whether the archive bucket exists, so that a misspelt name
// shows at the first invocation after a deployment and not weeks later, when the first instance is
// due. A missing bucket does not stop invocations: instances run without an archive; only their
// purges wait until the bucket exists.
type archiveCheck struct {
	once    sync.Once
	bucket  interface{ Check(context.Context) error }
	metrics *embeddedmetrics.Metrics
	logger  *slog.Logger
}

// longestCheck is how long the check may take. It runs during the first invocation of a process.
const longestCheck = 2 * time.Second

// checkOf returns the check of an archive in a bucket. It returns nil for any other archive, and
// without an archive.
func checkOf(a store.Archive, metrics *embeddedmetrics.Metrics, logger *slog.Logger) *archiveCheck {
	bucket, is := a.(*s3.Archive)
	if !is {
		return nil
	}
	return &archiveCheck{bucket: bucket, metrics: metrics, logger: logger}
}

// start starts the check in the background. The caller calls wait before its invocation ends, because
// Lambda then freezes the process. The nil check does nothing.
func (c *archiveCheck) start(ctx context.Context) (wait func()) {
	wait = func() {}
	if c == nil {
		return wait
	}
	c.once.Do(func() {
		var asking sync.WaitGroup
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, longestCheck)
			defer cancel()
			c.ask(ctx)
		})
		wait = asking.Wait
	})
	return wait
}

func (c *archiveCheck) ask(ctx context.Context) {
	err := c.bucket.Check(ctx)
	if err == nil {
		return
	}
	// An error without advice means that S3 did not respond. If access is denied, the bucket may still
	// accept objects.
	if e, is := errors.AsType[*s3.Error](err); !is || e.Advice == "" || e.Denied {
		c.logger.WarnContext(ctx, "could not check whether the archive bucket exists; run turnstile doctor", "error", err)
		return
	}
	c.metrics.Add(embeddedmetrics.Attention, string(host.CountArchive), 1)
	c.logger.ErrorContext(ctx, "the archive cannot be used: until it can, retention purges no instances", "error", err)
}
