package sqlite_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// A pause outlives the process, with who asked for it; what waited goes on after its end.
func TestAPausedQueueIsPausedAfterARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "paused.db")
	bill := turnstile.NewActivity[string, turnstile.None]("bill")
	order := turnstile.NewOrchestration[string, turnstile.None]("Order")
	var billed atomic.Int32
	app := func() *turnstile.App {
		return turnstile.NewApp(order.Implement(bill.Call), bill.Implement(func(context.Context, string) (turnstile.None, error) {
			billed.Add(1)
			return turnstile.None{}, nil
		}))
	}
	// in does something beside a runtime on the file.
	in := func(do func(ctx context.Context, e *embedded.Runtime)) {
		t.Helper()
		db, err := sqlite.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := embedded.New(app(), embedded.WithDatabase(db))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		do(ctx, e)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	shown := func(e *embedded.Runtime, path string) string {
		t.Helper()
		h, err := console.Handler(e.Client(), e.ConsoleOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/v1/"+path, http.NoBody))
		return w.Body.String()
	}
	in(func(ctx context.Context, e *embedded.Runtime) {
		if err := e.PauseQueue(ctx, "default", "ada"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Start(ctx, e.Client(), order, "o", client.WithInstanceID("order-1")); err != nil {
			t.Fatal(err)
		}
	})
	in(func(ctx context.Context, e *embedded.Runtime) {
		if got := shown(e, "queues"); !strings.Contains(got, `"pause":{"paused":true,"by":"ada","at":"`) {
			t.Errorf("after a restart the queues are %s", got)
		}
		if n := billed.Load(); n != 0 {
			t.Errorf("%d attempts of the paused queue have begun", n)
		}
		if err := e.UnpauseQueue(ctx, "default", "bob"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Attach(e.Client(), order, "order-1").Wait(ctx); err != nil || billed.Load() != 1 {
			t.Errorf("after the pause %d have begun, %v", billed.Load(), err)
		}
		if got := shown(e, "instances?queue=default"); !strings.Contains(got, `"instances":[]`) {
			t.Errorf("in the queue are %s", got)
		}
		if got := shown(e, "queues"); !strings.Contains(got, `"pause":{"paused":false,"by":"bob","at":"`) {
			t.Errorf("after the pause the queues are %s", got)
		}
	})
}
