//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/internal/archive/s3"
)

// An orchestrator function whose bucket is not there says so at its first invocation, names
// the bucket and what to do, and takes its messages all the same.
func TestAMissingBucketIsReportedAtTheFirstInvocation(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	q := createQueues(ctx, t, s)
	there := strings.ToLower(unique("archive"))
	buckets := s3.NewClient(s.cfg)
	if _, err := buckets.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: &there}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := buckets.DeleteBucket(context.WithoutCancel(ctx), &awss3.DeleteBucketInput{Bucket: &there}); err != nil {
			t.Errorf("bucket %s is left over: %v", there, err)
		}
	})
	for bucket, want := range map[string]string{
		there:          "",
		there + "-not": `archive: bucket "` + there + `-not": there is no such bucket; create it, or correct the parameter ArchiveBucket of the stack`,
	} {
		var log bytes.Buffer
		o, err := awslambda.NewOrchestrator(turnstile.NewApp(), append(orchestratorEnvironment(t, q), "TURNSTILE_ARCHIVE_BUCKET="+bucket),
			awslambda.WithAWSConfig(s.cfg), awslambda.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := o.Handle(ctx, events.SQSEvent{})
		o.Close()
		if err != nil || len(answer.BatchItemFailures) != 0 {
			t.Errorf("%s: the invocation answers %+v: %v", bucket, answer, err)
		}
		if want == "" {
			// Nor is there another warning, such as that of a catalog that the table did not take.
			if log.Len() != 0 {
				t.Errorf("the bucket is there, and the log is %s", log.String())
			}
			continue
		}
		var line struct{ Level, Msg, Error string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("not one line: %v: %s", err, log.String())
		}
		if line.Level != "ERROR" || !strings.Contains(line.Msg, "retention purges no instance") || !strings.HasPrefix(line.Error, want) {
			t.Errorf("the line is %+v", line)
		}
	}
}
