package local

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/supervised"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// replay runs the histories of a file against the application, for `turnstile
// replay`, says what does not agree, and returns the exit status.
func replay(app *turnstile.App, file string, out io.Writer) (status int) {
	r := &report{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		turnstiletest.Replay(r, app, file)
	}()
	<-done
	if len(r.problems) == 0 {
		return exitDone
	}
	fmt.Fprintln(out, strings.Join(r.problems, "\n"))
	return supervised.Disagrees
}

// report is a turnstiletest.T that keeps what is wrong.
type report struct{ problems []string }

func (*report) Helper() {}

func (*report) Cleanup(func()) {}

func (*report) Logf(string, ...any) {}

func (r *report) Errorf(format string, args ...any) {
	text := strings.TrimPrefix(fmt.Sprintf(format, args...), "turnstiletest: Replay: ")
	r.problems = append(r.problems, text)
}

func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
