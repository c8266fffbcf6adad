package s3_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/turnstile-go/turnstile/internal/archive/s3"
)

// What is kept comes back from S3 as LocalStack has it, under the name that was given; and
// a bucket that is not there has the error that S3 has for it.
func TestAnArchiveOnLocalStack(t *testing.T) {
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs LocalStack (AWS_ENDPOINT_URL and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	t.Parallel()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := s3.NewClient(aws.Config{
		Region: cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"), BaseEndpoint: &endpoint, HTTPClient: &http.Client{Transport: transport},
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	name, key := "archivetest-"+strings.ToLower(rand.Text()), "prod/%4Frder%2F1/7.json"
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &name, Key: &key})
		_, err2 := client.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: &name})
		if err = errors.Join(err, err2); err != nil {
			t.Errorf("bucket %s is left over: %v", name, err)
		}
	})
	a, err := s3.New(client, s3.Options{Bucket: name, Prefix: "prod/"})
	if err != nil {
		t.Fatal(err)
	}
	document := bytes.Repeat([]byte("0123456789"), 1<<18)
	for range 2 {
		if err := a.Keep(t.Context(), "Order/1", 7, document); err != nil {
			t.Fatal(err)
		}
	}
	got, err := client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: &name, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if data, err := io.ReadAll(got.Body); err != nil || !bytes.Equal(data, document) || aws.ToString(got.ContentType) != "application/json" {
		t.Errorf("%d of %d bytes came back as %s: %v", len(data), len(document), aws.ToString(got.ContentType), err)
	}
	missing, err := s3.New(client, s3.Options{Bucket: name + "-not"})
	if err != nil {
		t.Fatal(err)
	}
	if err := missing.Keep(t.Context(), "a", 1, []byte("{}")); err == nil || !strings.Contains(err.Error(), "there is no such bucket") {
		t.Errorf("the error of a bucket that is not there is %v", err)
	}
}
