package turnstiletest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// crashTestHelper is set if the test binary runs once more to fail a crash test.
const crashTestHelper = "TURNSTILE_TEST_CRASH_TEST"

func TestMain(m *testing.M) {
	// Crash tests fail here on purpose: their files are deleted after the tests.
	folder, err := os.MkdirTemp("", "turnstiletest-")
	if err == nil && os.Getenv(crashTestHelper) == "" {
		err = os.Setenv("TURNSTILE_CRASH_TESTS", folder)
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(folder)
		os.Exit(status)
	}))
}

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// recorder is a T that records failures instead of failing the test.
type recorder struct {
	texts   []string
	logs    []string
	cleanup []func()
}

// stopped is the panic value of Fatalf.
type stopped struct{}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stopped{})
}

// failure runs a test that must fail, and returns its text.
func failure(t *testing.T, test func(turnstiletest.T)) string {
	t.Helper()
	r := attempt(test)
	if len(r.texts) == 0 {
		t.Fatal("it did not fail")
	}
	return strings.Join(r.texts, "\n")
}

// attempt runs a test that may fail.
func attempt(test func(turnstiletest.T)) (r *recorder) {
	r = &recorder{}
	defer func() {
		for i := len(r.cleanup) - 1; i >= 0; i-- {
			r.cleanup[i]()
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			if _, fatal := v.(stopped); !fatal {
				panic(v)
			}
		}
	}()
	test(r)
	return r
}

func mentions(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("it does not mention %q:\n%s", w, text)
		}
	}
}

var (
	charge   = turnstile.NewActivity[int, string]("Charge")
	ship     = turnstile.NewActivity[string, string]("Ship")
	fulfil   = turnstile.NewOrchestration[int, string]("Fulfil")
	approved = turnstile.NewEvent[string]("approved")
)

// flow returns an application with one orchestration.
func flow(code func(turnstile.Context, int) (string, error), parts ...turnstile.Component) *turnstile.App {
	return turnstile.NewApp(fulfil.Implement(code), turnstile.Components(parts))
}

var errBusy = errors.New("busy")

func echo(_ context.Context, s string) (string, error) { return s, nil }
