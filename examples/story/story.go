// Package story runs a sample application in this process, in virtual time, and prints what
// happens, one line each with the time.
package story

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/livetrace"
)

// begin is when a story begins that is not shown in the console.
var begin = time.Date(2030, time.January, 1, 9, 0, 0, 0, time.UTC)

// Story is an application that prints what happens.
type Story struct {
	*embedded.Runtime
	begin   time.Time
	watched bool
	trace   *livetrace.Trace // nil if turns are not shown

	mu  sync.Mutex
	out io.Writer
}

// New returns the story of an application, with the teller's flags. The application is made by a
// function, so that its activities can print lines of the story.
func (t *Teller) New(app func(*Story) *turnstile.App) (*Story, error) {
	s := &Story{out: t.out, begin: begin, watched: t.console}
	var options []embedded.Option
	if t.console {
		// The browser computes ages from the real time.
		s.begin = time.Now().Truncate(time.Second)
		options = append(options, embedded.WithRealTimePacing(t.pace), embedded.WithConsole(t.addr))
	}
	if t.turns {
		s.trace = livetrace.New(t.out, livetrace.WithTimes(s.day))
		options = append(options, embedded.WithObserver(s.trace), embedded.WithLogger(slog.New(s.trace.LogHandler(slog.LevelInfo))),
			embedded.OnDeadLetter(func(m host.DeadLetter) { s.trace.DeadLetter(m.Body, m.Reason) }))
	}
	env, err := embedded.New(app(s), append(options, embedded.WithVirtualTime(s.begin))...)
	if err != nil {
		return nil, err
	}
	s.Runtime = env
	if t.console {
		fmt.Fprintf(t.out, "console  %s\nTime passes at its real pace, but a wait takes at most %s.\n", env.ConsoleURL(), t.pace)
	}
	return s, nil
}

// Started returns when the story begins.
func (s *Story) Started() time.Time { return s.begin }

// Say prints one line. Activities and functions of At may call it.
func (s *Story) Say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.trace != nil {
		s.trace.Say(s.Now(), "", text)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "%s  %s\n", s.day(s.Now()), text)
}

// day formats a time as a day of the story and of the calendar.
func (s *Story) day(at time.Time) string {
	return fmt.Sprintf("day %3d  %s", int(at.Sub(s.begin).Hours()/24)+1, at.In(s.begin.Location()).Format("Jan 02 15:04"))
}

// Slowly is Say for activities: with the console, it takes as long as a real service might.
func (s *Story) Slowly(format string, args ...any) {
	if s.watched {
		h := fnv.New32a()
		fmt.Fprintf(h, format, args...)
		time.Sleep(700*time.Millisecond + time.Duration(h.Sum32()%10)*200*time.Millisecond)
	}
	s.Say(format, args...)
}

// At calls do after d of virtual time, and prints its error.
func (s *Story) At(d time.Duration, do func() error) {
	s.AfterFunc(d, func() {
		if err := do(); err != nil {
			s.Say("%v", err)
		}
	})
}

// Until runs the application until wait returns, and returns its error. With the console, it
// continues until ctx ends.
func (s *Story) Until(ctx context.Context, wait func(context.Context) error) error {
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(running) }()
	err := wait(ctx)
	if s.watched {
		if ctx.Err() == nil {
			s.Say("the story is over; the console stays until Ctrl-C")
			<-ctx.Done()
		}
		err = nil
	}
	stop()
	if ran := <-ended; err == nil {
		err = ran
	}
	return err
}
