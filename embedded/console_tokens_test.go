package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestTheConsoleCompletesAPendingActivityWithoutItsToken(t *testing.T) {
	t.Parallel()
	var (
		asked   = turnstile.NewOrchestration[string, string]("Asked")
		ask     = turnstile.NewActivity[string, string]("Ask")
		pending = make(chan struct{}, 1)
	)
	e, err := embedded.New(turnstile.NewApp(
		asked.Implement(func(ctx turnstile.Context, what string) (string, error) { return ask.Call(ctx, what) }),
		ask.Implement(func(context.Context, string) (string, error) {
			pending <- struct{}{}
			return "", turnstile.ErrPending
		}),
	), embedded.WithConsole("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	run, err := client.Start(ctx, e.Client(), asked, "sign it")
	if err != nil {
		t.Fatal(err)
	}
	<-pending
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"instance":%q,"execution_id":1,"event_id":2,"result":"by hand"}`, run.Instance)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.ConsoleURL()+"api/v1/activities/complete", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Turnstile-Action", "1")
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var failed api.Failed
		t.Fatalf("status %d: %+v", response.StatusCode, failed)
	}
	if got, err := run.Wait(ctx); err != nil || got != "by hand" {
		t.Errorf("it ended with %q, %v", got, err)
	}
}
