// Package story runs a sample application in this process, in virtual time, and
// tells what happens, one line each with the time at which it does.
package story

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
)

// Begin is when every story begins.
var Begin = time.Date(2030, time.January, 1, 9, 0, 0, 0, time.UTC)

// Story is an application that tells what happens.
type Story struct {
	*embedded.Environment

	mu  sync.Mutex
	out io.Writer
}

// New returns the story of an application, which is told to out. The
// application is made by a function, because its activities may want to tell
// something themselves.
func New(out io.Writer, app func(*Story) *turnstile.App) (*Story, error) {
	s := &Story{out: out}
	env, err := embedded.New(app(s), embedded.VirtualTime(Begin))
	s.Environment = env
	return s, err
}

// Say tells one line. Activities and functions of At may call it.
func (s *Story) Say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	day := int(now.Sub(Begin).Hours()/24) + 1
	fmt.Fprintf(s.out, "day %3d  %s  %s\n", day, now.Format("Jan 02 15:04"), fmt.Sprintf(format, args...))
}

// At does something from outside after d of virtual time, and tells it if that
// fails.
func (s *Story) At(d time.Duration, do func() error) {
	s.AfterFunc(d, func() {
		if err := do(); err != nil {
			s.Say("%v", err)
		}
	})
}

// Until runs everything until wait returns, and returns its error.
func (s *Story) Until(ctx context.Context, wait func(context.Context) error) error {
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(running) }()
	err := wait(ctx)
	stop()
	if ran := <-ended; err == nil {
		err = ran
	}
	return err
}
