package awslambda

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
)

func TestAUsersObserverIsNotifiedInAdditionToTheMetrics(t *testing.T) {
	t.Parallel()
	var theirs, own bytes.Buffer
	mine := embeddedmetrics.New(embeddedmetrics.Config{Environment: "mine", Out: &theirs})
	ours := embeddedmetrics.New(embeddedmetrics.Config{Environment: "ours", Out: &own})
	o := collect([]Option{WithObserver(mine)})
	both := o.observers(ours, slog.New(slog.DiscardHandler))
	both.Count(host.CountTurns, "running", 1)
	both.Timing(host.TimeTurn, time.Second)
	both.Committed(host.Committed{})
	mine.Flush()
	ours.Flush()
	for _, out := range []string{theirs.String(), own.String()} {
		if !strings.Contains(out, `"Turns":1`) || !strings.Contains(out, `"TurnTime":[1000]`) {
			t.Errorf("one was told %q", out)
		}
	}
}
