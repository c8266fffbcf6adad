//go:build unix

package awslambda

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

// asFunction makes the test binary a function.
const asFunction = "TURNSTILE_TEST_AS_FUNCTION=yes"

func TestMain(m *testing.M) {
	if name, value, _ := strings.Cut(asFunction, "="); os.Getenv(name) == value {
		serveAttempts(os.Stdout)
		return
	}
	goleak.VerifyTestMain(m)
}

// completes is a host of which each invocation completes an attempt.
type completes struct{ metrics *embeddedmetrics.Metrics }

func (c completes) Handle(context.Context, []platform.Delivery) []string {
	c.metrics.Count(host.CountAttempts, "completed", 1)
	return nil
}

func serveAttempts(out io.Writer) {
	m := embeddedmetrics.New(embeddedmetrics.Config{Environment: "test", Function: "activity", Out: out})
	w := &ActivityFunction{host: completes{m}, metrics: m, logger: slog.New(slog.DiscardHandler)}
	serve(w.Handle, func() {
		w.Flush()
		fmt.Fprintln(out, "flushed")
	})
}

func TestAProcessThatEndsWritesTheMetricsItHolds(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	driver := runtimeapi.NewDriver()
	defer func() { _ = driver.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	b, err := driver.Start(ctx, runtimeapi.Command{Path: path, Env: []string{asFunction}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.Invoke(ctx, []byte(`{"Records":[]}`), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Kill(b.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := b.AwaitOutput(ctx, "flushed"); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.Output(), `"CloudWatchMetrics"`) != 2 || !strings.Contains(b.Output(), `"Attempts":1`) || !strings.Contains(b.Output(), `"Attempts":2`) || strings.Contains(b.Output(), "WARNING") {
		t.Errorf("it wrote\n%s\nwant the line of the first attempt, and one of the two that it held", b.Output())
	}
}
