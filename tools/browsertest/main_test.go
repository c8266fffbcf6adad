package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

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
