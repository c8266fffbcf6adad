package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/internal/store/storetest"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// endpoint of DynamoDB Local, or skip.
func endpoint(t *testing.T) string {
	t.Helper()
	e := os.Getenv("TURNSTILE_DYNAMODB_ENDPOINT")
	if e == "" {
		t.Skip("NOT RUN: needs DynamoDB Local (TURNSTILE_DYNAMODB_ENDPOINT); `make test` starts it and runs this")
	}
	return e
}

var tableNumber atomic.Int64

// local is a store on DynamoDB Local with what the suite does to it.
type local struct {
	*dynamo.Store
	client *dynamodb.Client
	config dynamo.Config
	url    string
}

func newClient(t *testing.T, url string, wrap func(http.RoundTripper) http.RoundTripper) *dynamodb.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	var rt http.RoundTripper = transport
	if wrap != nil {
		rt = wrap(rt)
	}
	return dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: aws.String(url),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:  &http.Client{Transport: rt, Timeout: 5 * time.Minute},
	})
}

func openLocal(t *testing.T, edit func(*dynamo.Config)) *local {
	t.Helper()
	url := endpoint(t)
	prefix := fmt.Sprintf("t%d-%d-", os.Getpid(), tableNumber.Add(1))
	config := dynamo.Config{Tables: dynamo.Tables{History: prefix + "history", Instances: prefix + "instances", Activities: prefix + "activities", Keys: prefix + "keys"}}
	config.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	config.AttemptTimeout = 4 * time.Minute // A request that a busy machine delays is not repeated: requests are counted.
	if edit != nil {
		edit(&config)
	}
	client := newClient(t, url, nil)
	if err := dynamo.CreateTables(t.Context(), client, config); err != nil {
		t.Fatal(err)
	}
	return &local{Store: dynamo.New(client, config), client: client, config: config, url: url}
}

func (l *local) with(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper) *local {
	c := newClient(t, l.url, wrap)
	return &local{Store: dynamo.New(c, l.config), client: c, config: l.config, url: l.url}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func isWrite(r *http.Request) bool {
	target := r.Header.Get("X-Amz-Target")
	return strings.HasSuffix(target, "PutItem") || strings.HasSuffix(target, "UpdateItem") || strings.HasSuffix(target, "TransactWriteItems")
}

// loseAnswers drops the first n answers to writes, after they took effect.
func loseAnswers(n int) func(http.RoundTripper) http.RoundTripper {
	var lost atomic.Int64
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && isWrite(r) && lost.Add(1) <= int64(n) {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				return nil, errors.New("connection reset by peer")
			}
			return resp, err
		})
	}
}

// throttle answers every request as DynamoDB does when it is throttled.
func throttle(http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		body := `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`
		return &http.Response{
			StatusCode: 400, Status: "400 Bad Request", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
			Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
		}, nil
	})
}

func TestStoreOnDynamoDBLocal(t *testing.T) {
	t.Parallel()
	endpoint(t)
	storetest.Run(t, storetest.Options{
		Open:   func(t *testing.T) store.Store { return openLocal(t, nil) },
		Reopen: func(t *testing.T, s store.Store) store.Store { return s.(*local).with(t, nil) },
		LoseAnswers: func(t *testing.T, s store.Store, n int) store.Store {
			return s.(*local).with(t, loseAnswers(n))
		},
		Throttle: func(t *testing.T, s store.Store) store.Store {
			return s.(*local).with(t, throttle)
		},
		HalfWrite: halfWrite,
	})
}

// halfWrite puts the parts of a split turn one by one: from the first on, then
// from the last back, then with a hole in the middle.
func halfWrite(t *testing.T, s store.Store, turn store.Turn) []func() {
	l := s.(*local)
	items, err := dynamo.NewEncoder(l.config).Turn(&turn)
	if err != nil {
		t.Fatal(err)
	}
	n := len(items)
	if n < 3 {
		t.Fatalf("the turn is split into %d items, want 3 or more", n)
	}
	put := func(indexes ...int) func() {
		return func() {
			for i, it := range items {
				key := map[string]types.AttributeValue{"execution": it.Attributes["execution"], "event_id": it.Attributes["event_id"]}
				if _, err := l.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &l.config.Tables.History, Key: key}); err != nil {
					t.Fatal(err)
				}
				for _, j := range indexes {
					if i != j {
						continue
					}
					if _, err := l.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &l.config.Tables.History, Item: it.Attributes}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return []func(){put(0), put(all[:n-1]...), put(n - 1), put(all[1:]...), put(0, n-1), put(all...)}
}

func TestActivitiesOnDynamoDBLocal(t *testing.T) {
	t.Parallel()
	endpoint(t)
	// The time of this machine: DynamoDB Local deletes what has expired by it.
	storetest.RunActivities(t, func(t *testing.T) store.Activities {
		l := openLocal(t, nil)
		return dynamo.NewActivities(l.client, l.config)
	}, time.Now)
}
