package scheduler_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awsscheduler "github.com/aws/aws-sdk-go-v2/service/scheduler"

	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/timer/scheduler"
)

// dialling returns a timer whose real SDK client talks to an endpoint.
func dialling(t *testing.T, endpoint string, client *http.Client) *scheduler.Timer {
	t.Helper()
	t.Cleanup(client.CloseIdleConnections)
	return open(t, awsscheduler.New(awsscheduler.Options{
		Region:           "eu-central-1",
		BaseEndpoint:     &endpoint,
		Credentials:      credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient:       client,
		RetryMaxAttempts: 1,
	}))
}

func TestErrorsAreRecognisedAsTheyComeOverTheWire(t *testing.T) {
	t.Parallel()
	const other = "another error"
	for _, c := range []struct {
		status           int
		code             string
		schedule, cancel any // nil: success; an error of timer's; other
	}{
		{409, "ConflictException", nil, timer.ErrUnavailable},
		{404, "ResourceNotFoundException", other, nil},
		{400, "ValidationException", other, other},
		{429, "ThrottlingException", timer.ErrUnavailable, timer.ErrUnavailable},
		{402, "ServiceQuotaExceededException", timer.ErrUnavailable, other},
		{500, "InternalServerException", timer.ErrUnavailable, timer.ErrUnavailable},
		{503, "ServiceUnavailable", timer.ErrUnavailable, timer.ErrUnavailable},
		{403, "AccessDeniedException", other, other},
	} {
		t.Run(fmt.Sprintf("%d %s", c.status, c.code), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Amzn-Errortype", c.code)
				w.WriteHeader(c.status)
				fmt.Fprint(w, `{"Message":"as the test says"}`)
			}))
			t.Cleanup(server.Close)
			tm := dialling(t, server.URL, server.Client())
			for call, r := range map[string]struct {
				err  error
				want any
			}{
				"Schedule": {tm.Schedule(t.Context(), due(time.Hour)), c.schedule},
				"Cancel":   {tm.Cancel(t.Context(), "name"), c.cancel},
			} {
				var got any
				switch {
				case errors.Is(r.err, timer.ErrUnavailable):
					got = timer.ErrUnavailable
				case r.err != nil:
					got = other
				}
				if got != r.want {
					t.Errorf("%s: %v, want %v", call, r.err, r.want)
				}
			}
		})
	}
}

func TestABrokenConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	tm := dialling(t, server.URL, &http.Client{Transport: &http.Transport{}})
	for call, err := range map[string]error{"Schedule": tm.Schedule(t.Context(), due(time.Hour)), "Cancel": tm.Cancel(t.Context(), "name")} {
		if !errors.Is(err, timer.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", call, err)
		}
	}
}
