package backend

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
)

// archiveOnHTTP is a stack with a bucket, whose answers the test gives.
type archiveOnHTTP struct {
	environment string
	head        func(w http.ResponseWriter)
	object      string
}

func (a *archiveOnHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/2015-03-31/functions/"):
		fmt.Fprintf(w, `{"FunctionName":"o","Environment":{"Variables":{%s}}}`, a.environment)
	case r.Method == http.MethodHead && strings.Trim(r.URL.Path, "/") == "acme-archive":
		a.head(w)
	case r.Method == http.MethodGet && r.URL.Path == "/acme-archive/prod/order-17/1.json":
		fmt.Fprint(w, a.object)
	default:
		w.WriteHeader(http.StatusNotFound)
		if r.Method == http.MethodGet {
			code := "NoSuchKey"
			if !strings.HasPrefix(r.URL.Path, "/acme-archive/") {
				code = "NoSuchBucket"
			}
			fmt.Fprintf(w, `<Error><Code>%s</Code><Message>not there</Message></Error>`, code)
		}
	}
}

func (a *archiveOnHTTP) stack(t *testing.T) AWS {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true })
	s := &Settings{Getenv: func(name string) string {
		return map[string]string{"TURNSTILE_ORCHESTRATOR_QUEUE_URL": "https://q/x.fifo", "TURNSTILE_ORCHESTRATOR_FUNCTION": "o"}[name]
	}}
	return NewAWS(s,
		config.WithBaseEndpoint(server.URL), config.WithHTTPClient(client), config.WithRegion("eu-central-1"), config.WithRetryMaxAttempts(1),
		config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}),
		config.WithCredentialsProvider(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		})),
	)
}

func TestTheDoctorChecksTheBucketOfTheArchive(t *testing.T) {
	t.Parallel()
	const has = `"TURNSTILE_ARCHIVE_BUCKET":"acme-archive","TURNSTILE_ARCHIVE_PREFIX":"prod/"`
	for _, tt := range []struct {
		name, environment string
		head              func(w http.ResponseWriter)
		level, says       string
	}{
		{"no archive", `"TURNSTILE_ARCHIVE_BUCKET":""`, nil, "", ""},
		{"it is there", has, func(w http.ResponseWriter) { w.Header().Set("X-Amz-Bucket-Region", "eu-central-1") }, "ok", `the bucket acme-archive exists; purged histories are archived under "prod/"`},
		{"it is in another region", has, func(w http.ResponseWriter) { w.Header().Set("X-Amz-Bucket-Region", "us-east-1") }, "problem", "acme-archive is in us-east-1, but the stack is in eu-central-1: nothing is archived or purged"},
		{"it is not there", has, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, "problem", "create it, or correct the parameter ArchiveBucket"},
		{"it may not be looked at", has, func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, "unknown", "the check needs s3:ListBucket on the bucket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := (&archiveOnHTTP{environment: tt.environment, head: tt.head}).stack(t).checkArchive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if tt.level == "" {
				if len(found) != 0 {
					t.Errorf("it finds %+v", found)
				}
				return
			}
			if len(found) != 1 || found[0].Level != tt.level || !strings.Contains(found[0].Text+" "+found[0].Advice, tt.says) {
				t.Errorf("it finds %+v, want %s: %s", found, tt.level, tt.says)
			}
		})
	}
}

func TestAnArchivedExecutionIsReadFromItsBucket(t *testing.T) {
	t.Parallel()
	b := (&archiveOnHTTP{object: `{"an":"export"}`}).stack(t)
	data, err := b.Archived(t.Context(), "s3://acme-archive/prod/order-17/1.json")
	if err != nil || string(data) != `{"an":"export"}` {
		t.Errorf("%s, %v", data, err)
	}
	for what, says := range map[string]string{
		"s3://acme-archive/prod/order-17/2.json": "there is no such object",
		"s3://other-bucket/prod/order-17/1.json": "there is no such bucket",
		"s3://acme-archive":                      "give s3://BUCKET/PREFIX/INSTANCE/EXECUTION.json",
		"s3://acme-archive/prod/":                "is not an S3 object",
	} {
		if _, err := b.Archived(t.Context(), what); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", what, err, says)
		}
	}
}
