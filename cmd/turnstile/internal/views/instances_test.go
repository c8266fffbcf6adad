package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/store"
)

func clock() time.Time { return noon }

func instances() []client.Description {
	return []client.Description{
		{Instance: "order-1", Name: "Fulfil", Version: "1.2", Status: client.StatusCompleted, CreatedAt: noon.Add(-25 * time.Hour), EndedAt: noon.Add(-24 * time.Hour)},
		{Instance: "order-2", Name: "Fulfil", Status: client.StatusStuck, CreatedAt: noon.Add(-time.Minute), Problem: &store.Problem{Kind: "panic", Message: "no\x1b[2J carrier"}},
	}
}

func TestInstancesAreLinesThatSayHowLongTheyRanAndWhyTheyAreNotWell(t *testing.T) {
	t.Parallel()
	table := func(s *term.Screen) {
		rows := views.NewInstances(clock)
		for _, d := range instances() {
			rows.Row(&d)
		}
		rows.Print(s)
	}
	text := shown(120, table)
	says(t, text, "INSTANCE", "order-1", "Fulfil 1.2", "completed", "2029-12-31 11:00", "1h00m", "order-2", "stuck", "11:59:00", "1m00s…", "panic: no")
	if strings.Contains(text, "\x1b") {
		t.Errorf("what a user wrote steers the terminal: %q", text)
	}
	says(t, piped(table), "order-1\tFulfil 1.2\tcompleted\t2029-12-31T11:00:00Z\t1h0m0s\t", "\norder-2\tFulfil\tstuck\t2030-01-01T11:59:00Z\t1m0s\tpanic: no")
}

func TestAPageIsPaintedInOnePieceFromTheUpperLeftCorner(t *testing.T) {
	t.Parallel()
	page := &client.ListPage{Instances: instances(), NextPageToken: "t"}
	text := shown(60, func(s *term.Screen) {
		views.Repaint(s, "12:00:00  turnstile list "+strings.Repeat("x", 90), page, clock)
	})
	if !strings.HasPrefix(text, "\x1b[H\x1b[2J12:00:00  turnstile list") {
		t.Errorf("it begins with %q", text[:40])
	}
	says(t, text, "…\n\n", "order-1", "order-2", "there are more; raise --limit\n")
	says(t, shown(60, func(s *term.Screen) { views.Repaint(s, "title", &client.ListPage{}, clock) }), "title\n\nno instances\n")
}
