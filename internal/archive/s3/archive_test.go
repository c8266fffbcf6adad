package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/archive/s3"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const bucket = "acme-archive"

// bucketOnHTTP answers puts as S3 does, with a bucket in the path.
type bucketOnHTTP struct {
	mu      sync.Mutex
	objects map[string][]byte
	headers map[string]http.Header
	// fails answers in place of the bucket; nil or false lets it answer itself.
	fails func(w http.ResponseWriter, put int) bool
	puts  int
}

func (b *bucketOnHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.puts++
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if b.fails != nil && b.fails(w, b.puts) {
		return
	}
	key, found := strings.CutPrefix(r.URL.EscapedPath(), "/"+bucket+"/")
	switch {
	case r.Method == http.MethodHead && r.URL.Path == "/"+bucket:
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusNotFound) // The answer to a HEAD has no body.
	case r.Method != http.MethodPut:
		failAs(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		failAs(w, http.StatusForbidden, "AccessDenied")
	case !found:
		failAs(w, http.StatusNotFound, "NoSuchBucket")
	default:
		b.objects[key], b.headers[key] = body, r.Header
	}
}

func failAs(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>as the test says</Message></Error>`, code)
}

func open(t *testing.T, b *bucketOnHTTP, opts s3.Options) *s3.Archive {
	t.Helper()
	b.objects, b.headers = map[string][]byte{}, map[string]http.Header{}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	a, err := s3.New(s3.NewClient(aws.Config{
		Region: "eu-central-1", BaseEndpoint: &server.URL, HTTPClient: server.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = 3, time.Millisecond })
		},
	}), opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestADocumentIsAnObject(t *testing.T) {
	t.Parallel()
	b := &bucketOnHTTP{}
	a := open(t, b, s3.Options{Bucket: bucket, Prefix: "prod/"})
	document := []byte(`{"instance":"Order/1"}`)
	for range 2 { // It may come again.
		if err := a.Keep(t.Context(), "Order/1", 7, document); err != nil {
			t.Fatal(err)
		}
	}
	// The name has a "%" in it, which the URL escapes.
	const key = "prod/%254Frder%252F1/7.json"
	if !bytes.Equal(b.objects[key], document) || len(b.objects) != 1 {
		t.Errorf("the bucket has %q", b.objects)
	}
	if h := b.headers[key]; h.Get("Content-Type") != "application/json" || h.Get("X-Amz-Server-Side-Encryption") != "" {
		t.Errorf("it was put with %v", h)
	}
}

func TestAnObjectIsEncryptedWithTheKeyOfTheCustomer(t *testing.T) {
	t.Parallel()
	b := &bucketOnHTTP{}
	const arn = "arn:aws:kms:eu-central-1:123456789012:key/1234"
	if err := open(t, b, s3.Options{Bucket: bucket, KMSKeyARN: arn}).Keep(t.Context(), "a", 1, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	h := b.headers["a/1.json"]
	if h.Get("X-Amz-Server-Side-Encryption") != "aws:kms" || h.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id") != arn || h.Get("X-Amz-Server-Side-Encryption-Bucket-Key-Enabled") != "true" {
		t.Errorf("it was put with %v", h)
	}
}

// The bucket's name may belong to another account, whose owner would read everything.
func TestARequestDemandsTheOwnerOfTheBucket(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "123456789012"} {
		b := &bucketOnHTTP{}
		a := open(t, b, s3.Options{Bucket: bucket, Owner: owner})
		if err := a.Keep(t.Context(), "a", 1, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if got := b.headers["a/1.json"].Get("X-Amz-Expected-Bucket-Owner"); got != owner {
			t.Errorf("the put demands the owner %q, want %q", got, owner)
		}
	}
}

func TestAnErrorNamesTheBucketAndWhatToDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   string
		status int
		region string
		bucket string
		want   []string
		// unarchivable: the error concerns this document alone.
		unarchivable bool
	}{
		{bucket: "missing-bucket", want: []string{`bucket "missing-bucket"`, "create it, or correct the parameter ArchiveBucket"}},
		{code: "AccessDenied", status: 403, want: []string{`object "prod/a/1.json" of bucket "acme-archive"`, `s3:PutObject under "prod/"`, "kms:GenerateDataKey"}},
		{code: "PermanentRedirect", status: 301, region: "us-east-1", want: []string{"is in region us-east-1; it must be in the region of the stack"}},
		{code: "AuthorizationHeaderMalformed", status: 400, want: []string{"in a different region"}},
		{code: "KMS.NotFoundException", status: 400, want: []string{"the key that encrypts it does not exist"}},
		{code: "EntityTooLarge", status: 400, want: []string{"this document cannot be stored"}, unarchivable: true},
		{code: "SomethingNew", status: 400, want: []string{`bucket "acme-archive"`, "SomethingNew"}},
	} {
		t.Run(tt.code+tt.bucket, func(t *testing.T) {
			t.Parallel()
			b := &bucketOnHTTP{}
			if tt.code != "" {
				b.fails = func(w http.ResponseWriter, _ int) bool {
					if tt.region != "" {
						w.Header().Set("X-Amz-Bucket-Region", tt.region)
					}
					failAs(w, tt.status, tt.code)
					return true
				}
			}
			name := bucket
			if tt.bucket != "" {
				name = tt.bucket
			}
			err := open(t, b, s3.Options{Bucket: name, Prefix: "prod/", KMSKeyARN: "arn:aws:kms:eu-central-1:123456789012:key/1234"}).Keep(t.Context(), "a", 1, []byte("{}"))
			typed, is := errors.AsType[*s3.Error](err)
			if !is || typed.Bucket != name || typed.Key != "prod/a/1.json" {
				t.Fatalf("the error is %#v", err)
			}
			if errors.Is(err, errors.ErrUnsupported) != tt.unarchivable {
				t.Errorf("%v concerns this document alone: %v", err, !tt.unarchivable)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
		})
	}
}

func TestABucketIsLookedAtByOneRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		bucket, region string
		status         int
		denied         bool
		want           string // nothing: it is there
	}{
		{bucket: bucket},
		{bucket: "missing-bucket", want: `archive: bucket "missing-bucket": there is no such bucket; create it, or correct the parameter ArchiveBucket of the stack`},
		{bucket: bucket, status: 403, denied: true, want: "access is denied; check that the role of the orchestrator may call s3:ListBucket"},
		{bucket: bucket, status: 301, region: "us-east-1", want: "is in region us-east-1"},
	} {
		t.Run(fmt.Sprint(tt.bucket, tt.status), func(t *testing.T) {
			t.Parallel()
			b := &bucketOnHTTP{}
			if tt.status != 0 {
				b.fails = func(w http.ResponseWriter, _ int) bool {
					if tt.region != "" {
						w.Header().Set("X-Amz-Bucket-Region", tt.region)
					}
					w.WriteHeader(tt.status)
					return true
				}
			}
			err := open(t, b, s3.Options{Bucket: tt.bucket, Prefix: "prod/"}).Check(t.Context())
			if b.puts != 1 {
				t.Errorf("it took %d requests", b.puts)
			}
			if tt.want == "" {
				if err != nil {
					t.Errorf("the bucket is there: %v", err)
				}
				return
			}
			if typed, is := errors.AsType[*s3.Error](err); !is || typed.Bucket != tt.bucket || typed.Key != "" || typed.Denied != tt.denied || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %#v: %v\nwant %s", err, err, tt.want)
			}
		})
	}
}

func TestAPutThatIsThrottledIsTriedAgainAndFailsWithoutAdvice(t *testing.T) {
	t.Parallel()
	b := &bucketOnHTTP{fails: func(w http.ResponseWriter, put int) bool {
		if put == 3 {
			return false
		}
		failAs(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	}}
	a := open(t, b, s3.Options{Bucket: bucket})
	if err := a.Keep(t.Context(), "a", 1, []byte("{}")); err != nil || len(b.objects) != 1 {
		t.Errorf("the third put was to be taken: %v", err)
	}
	err := a.Keep(t.Context(), "b", 1, []byte("{}"))
	if typed, is := errors.AsType[*s3.Error](err); !is || typed.Advice != "" || !strings.Contains(err.Error(), "SlowDown") {
		t.Errorf("the error is %v", err)
	}
}

func TestAPutThatIsCutShortSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := open(t, &bucketOnHTTP{}, s3.Options{Bucket: bucket}).Keep(ctx, "a", 1, []byte("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestAnArchiveNeedsABucket(t *testing.T) {
	t.Parallel()
	if _, err := s3.New(s3.NewClient(aws.Config{}), s3.Options{}); err == nil {
		t.Error("there is an archive without a bucket")
	}
}
