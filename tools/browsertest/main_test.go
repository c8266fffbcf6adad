package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// shared is the browser of all tests: its pages have storage of their own.
var shared struct {
	once    sync.Once
	browser *browser.Browser
	err     error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if shared.browser != nil {
		if err := shared.browser.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "browser:", err)
			status = 1
		}
	}
	os.Exit(status)
}

// theBrowser returns the browser, and skips the test where there is none.
func theBrowser(t testing.TB) *browser.Browser {
	t.Helper()
	shared.once.Do(func() {
		binary, err := browser.Find(context.Background())
		if err != nil {
			shared.err = err
			return
		}
		shared.browser, shared.err = browser.Start(context.Background(), binary)
	})
	if errors.Is(shared.err, browser.ErrNone) {
		t.Skipf("NOT RUN: %v", shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.browser
}

// patience is how long a test waits for what comes about without the page. It is there to fail
// with a text rather than to hang.
const patience = 5 * time.Minute

// within is a context that ends with that, or with the test.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("not after %s", patience))
	t.Cleanup(cancel)
	return ctx
}

// receive receives from a channel what comes about.
func receive[T any](t *testing.T, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("not after %s: %s", patience, what)
	}
	return v
}
