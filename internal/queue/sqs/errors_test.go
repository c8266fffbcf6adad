package sqs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

// served returns a queue whose real SDK client talks to a server that answers
// every call with handler.
func served(t *testing.T, handler http.HandlerFunc) *sqs.Queue {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return dialling(t, server.URL, server.Client())
}

func dialling(t *testing.T, endpoint string, client *http.Client) *sqs.Queue {
	t.Helper()
	t.Cleanup(client.CloseIdleConnections)
	q, err := sqs.New(awssqs.New(awssqs.Options{
		Region:           "eu-central-1",
		BaseEndpoint:     &endpoint,
		Credentials:      credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient:       client,
		RetryMaxAttempts: 1,
	}), endpoint+"/123456789012/delay", sqs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// calls are all calls of a queue.
func calls(ctx context.Context, q *sqs.Queue) map[string]error {
	m := queue.Message{ID: "id", Receipt: "r"}
	_, received := q.Receive(ctx, 1, 0)
	return map[string]error{
		"Send":          q.Send(ctx, queue.Outgoing{Body: "x"}),
		"Receive":       received,
		"Delete":        q.Delete(ctx, m),
		"SetVisibility": q.SetVisibility(ctx, 0, m),
	}
}

func TestPassingFaultsAreUnavailableAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status      int
		code        string
		unavailable bool
		says        string
	}{
		{400, "RequestThrottled", true, ""},
		{400, "ThrottlingException", true, ""},
		{400, "KmsThrottled", true, ""},
		{400, "KMS.ThrottlingException", true, ""},
		{403, "OverLimit", true, ""},
		{403, "AWS.SimpleQueueService.OverLimit", true, ""},
		{429, "TooManyRequestsException", true, ""},
		{500, "InternalFailure", true, ""},
		{503, "ServiceUnavailable", true, ""},
		{502, "", true, ""},
		{400, "QueueDoesNotExist", false, "check the URL"},
		{403, "AccessDeniedException", false, "AccessDenied"},
		{400, "KmsAccessDenied", false, "KmsAccessDenied"},
		{400, "InvalidParameterValue", false, "InvalidParameterValue"},
	} {
		t.Run(fmt.Sprintf("%d %s", c.status, c.code), func(t *testing.T) {
			t.Parallel()
			q := served(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				w.WriteHeader(c.status)
				fmt.Fprintf(w, `{"__type":"com.amazonaws.sqs#%s","message":"as the test says"}`, c.code)
			})
			for call, err := range calls(t.Context(), q) {
				if err == nil || errors.Is(err, queue.ErrUnavailable) != c.unavailable || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v; unavailable: want %t", call, err, c.unavailable)
				}
				if err != nil && !strings.Contains(err.Error(), "/123456789012/delay") {
					t.Errorf("%s: %v does not name the queue", call, err)
				}
			}
		})
	}
}

func TestABrokenConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		for call, err := range calls(t.Context(), dialling(t, server.URL, &http.Client{Transport: &http.Transport{}})) {
			if !errors.Is(err, queue.ErrUnavailable) {
				t.Errorf("%s: %v, want ErrUnavailable", call, err)
			}
		}
	})
	t.Run("cut before the answer", func(t *testing.T) {
		t.Parallel()
		q := served(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		for call, err := range calls(t.Context(), q) {
			if !errors.Is(err, queue.ErrUnavailable) {
				t.Errorf("%s: %v, want ErrUnavailable", call, err)
			}
		}
	})
}

func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	q := served(t, func(_ http.ResponseWriter, r *http.Request) {
		// Only once the request is read does the server see its end.
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	for call, err := range calls(ctx, q) {
		if !errors.Is(err, context.Canceled) || errors.Is(err, queue.ErrUnavailable) {
			t.Errorf("%s: %v, want context.Canceled alone", call, err)
		}
	}
}
