package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/internal/console"
)

// consoleAddr is where the console listens by default.
const consoleAddr = "127.0.0.1:8877"

func consoleCommand() *command {
	return &command{
		name: "console", also: []string{"ui", "web", "serve"}, most: 0,
		short: "serve the console: instances and their timelines in a browser",
		long: paragraph(
			"Serves a page that shows instances, their timelines and histories, what is stuck and",
			"why, dead letters and queues, and the JSON API behind it, until Ctrl-C. It reads with",
			"your credentials and opens sealed payloads with your keys; it changes nothing unless",
			"actions are allowed. There is no login: everybody who reaches the address sees all of",
			"it, so that it listens on this machine alone. To serve it to others, mount",
			"console.Handler behind your login.",
			"",
			"Looking costs reads: --reads bounds those of all open pages together. Nothing is read",
			"while no page is open."),
		examples: []string{
			"turnstile console --stack turnstile",
			"turnstile console --stack turnstile --allow-actions --open",
			"turnstile console --addr 127.0.0.1:0",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			s := consoleServer{cli: c}
			flags.StringVar(&s.addr, "addr", "", "listen on this `ADDRESS`, host:port, where port 0 is any that is free; default "+consoleAddr+", or a free port if that is taken")
			flags.BoolVar(&s.actions, "allow-actions", false, "let it start, raise events, end, purge and redrive; default it reads only")
			flags.Func("allow-host", "answer to this `HOST` too; needed to listen on an address that is not loopback; may be repeated", func(name string) error {
				s.hosts = append(s.hosts, name)
				return nil
			})
			c.settings.declareActor(flags)
			flags.BoolVar(&s.open, "open", false, "open it in the browser")
			flags.DurationVar(&s.every, "every", 3*time.Second, "look at what is shown again after this `TIME` at the soonest")
			flags.IntVar(&s.reads, "reads", 600, "read at most `N` records a minute for live changes: a record of up to 4 KB is a read unit")
			return s.run
		},
	}
}

// consoleServer is the command console.
type consoleServer struct {
	*cli
	addr          string
	hosts         []string
	actions, open bool
	every         time.Duration
	reads         int
	// listening, if not nil, is told the address, for tests.
	listening func(url string)
}

func (s *consoleServer) run(ctx context.Context, _ []string) error {
	if err := s.check(); err != nil {
		return err
	}
	handler, err := s.handler(ctx)
	if err != nil {
		return err
	}
	listener, err := s.listen()
	if err != nil {
		return fmt.Errorf("%w; give another --addr, or port 0 for any that is free", err)
	}
	// What is streamed ends with the command.
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    log.New(io.Discard, "", 0), // A browser that went away is no news.
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	s.announce(ctx, "http://"+listener.Addr().String()+"/")
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop()
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	if server.Shutdown(ending) != nil {
		_ = server.Close() // What is answered that slowly is cut off.
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listen listens on the address that was given. Without one, a console that runs
// already, such as that of LocalStack, makes this one take a free port.
func (s *consoleServer) listen() (net.Listener, error) {
	if s.addr != "" {
		return net.Listen("tcp", s.addr)
	}
	if l, err := net.Listen("tcp", consoleAddr); err == nil {
		return l, nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

func (s *consoleServer) check() error {
	if s.reads < 1 {
		return usagef("--reads %d: at least 1", s.reads)
	}
	if s.addr == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(s.addr)
	if err != nil {
		return usagef("--addr %q: an address is host:port, such as %s", s.addr, consoleAddr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && len(s.hosts) == 0 {
		return usagef("--addr %q: other machines could reach that address, and the console has no login. Listen on 127.0.0.1; or put it behind a proxy with a login, and name the proxy's host with --allow-host", s.addr)
	}
	return nil
}

// handler is the console of the stack.
func (s *consoleServer) handler(ctx context.Context) (http.Handler, error) {
	on := s.cli.backend()
	c, err := on.Client(ctx)
	if err != nil {
		return nil, err
	}
	options := []console.Option{console.WithPolling(s.every, s.reads), console.WithExplainer(advice.Explain), console.WithClock(s.now), console.AllowHosts(s.hosts...)}
	if s.actions {
		options = append(options, console.AllowActions())
	}
	own, err := on.Console(ctx, s.poll)
	if err != nil {
		return nil, err
	}
	h, err := console.Handler(c, append(append(options, own...), console.WithLinksOf(s.getenv))...)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "console: ")
		if strings.HasPrefix(text, "TURNSTILE_") {
			return nil, usagef("%s", text)
		}
		return nil, usagef("--allow-host: %s", text)
	}
	return h, nil
}

func (s *consoleServer) announce(ctx context.Context, url string) {
	what := "it only reads; --allow-actions lets it act"
	if s.actions {
		what = "actions are allowed"
	}
	fmt.Fprintf(s.out, "console: %s (%s; Ctrl-C ends it)\n", url, what)
	if s.open {
		if err := browse(ctx, url); err != nil {
			fmt.Fprintf(s.err, "no browser could be opened: %v\n", err)
		}
	}
	if s.listening != nil {
		s.listening(url)
	}
}

// browse opens an address in the browser of who runs this.
func browse(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start()
}
