package browsertest

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// site is a server of the console, which a test can cut off.
type site struct {
	t testing.TB
	// url is that of the page, with a slash at its end.
	url      string
	listener *cutListener

	mu       sync.Mutex
	requests []answer
	missing  []string
}

// notThere says that something is not there which a tab may ask for: an instance that has not
// begun, or a schedule that another tab deletes. root is its path in the API, "instances/order-1".
// An answer of 404 is then no problem of a tab. A tab that removes something itself does not ask
// for it any more.
func (s *site) notThere(root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = append(s.missing, "/api/v1/"+root)
}

// expected reports whether a problem of a tab is that something is missing which is not there.
func (s *site) expected(problem string) bool {
	if strings.Contains(problem, "status of 409") && strings.HasSuffix(problem, "/query)") {
		return true // There is no answer to a query.
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(problem, "status of 404") && slices.ContainsFunc(s.missing, func(root string) bool {
		return strings.Contains(problem, root+"/") || strings.Contains(problem, root+"?") || strings.Contains(problem, root+")")
	})
}

// answer is a request that came, and with what it was answered; a status of 0
// if it is not answered yet.
type answer struct {
	method, path string
	status       int
}

// still is the console of the demo's story, where nothing moves: made once for
// all tests that only read.
var still struct {
	once    sync.Once
	handler http.Handler
	err     error
}

// serveStill serves the story as it stands at its end, the same each time.
func serveStill(t testing.TB) *site {
	t.Helper()
	still.once.Do(func() {
		still.handler, still.err = demo.Open(context.Background(), demo.Options{Still: true})
	})
	if still.err != nil {
		t.Fatal(still.err)
	}
	return serve(t, "/", still.handler)
}

// serveLive serves the story on an environment that goes on, with actions
// allowed.
func serveLive(t testing.TB, options ...console.Option) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	// Looked at often, so that a test does not wait for that.
	options = append(options, console.AllowActions(), console.WithPolling(100*time.Millisecond, 1_000_000))
	h, err := demo.Open(ctx, demo.Options{}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, "/", h)
}

// serve serves a console under a path, which ends with a slash.
func serve(t testing.TB, base string, h http.Handler) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, url: "http://" + listener.Addr().String() + base, listener: &cutListener{Listener: listener, open: map[net.Conn]bool{}}}
	mux := http.NewServeMux()
	mux.Handle(base, http.StripPrefix(strings.TrimSuffix(base, "/"), h))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, answer{method: r.Method, path: r.URL.RequestURI()})
		s.mu.Unlock()
		late(r)
		mux.ServeHTTP(&statusWriter{ResponseWriter: w, heard: func(status int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.requests[n].status == 0 {
				s.requests[n].status = status
			}
		}}, r)
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(s.listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
		s.checkAPI()
	})
	return s
}

// slowest is how late the API answers at most. It is 0 but for whoever looks for tests that
// depend on the order of answers: TURNSTILE_SLOWEST=400ms go test ./...
var slowest, _ = time.ParseDuration(os.Getenv("TURNSTILE_SLOWEST"))

// late holds a request of the API up for as long as chance has it.
func late(r *http.Request) {
	if slowest <= 0 || !strings.Contains(r.URL.Path, "/api/") {
		return
	}
	select {
	case <-time.After(rand.N(slowest)):
	case <-r.Context().Done():
	}
}

// answered are the requests of the API that came since the mark.
func (s *site) answered(mark int) []answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests[mark:]), func(a answer) bool { return !strings.Contains(a.path, "/api/") })
}

// mark is where answered may begin.
func (s *site) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// statusWriter tells the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	heard func(status int)
}

func (w *statusWriter) WriteHeader(status int) {
	w.heard(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.heard(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController flush.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// cutListener is a listener whose connections can be cut off.
type cutListener struct {
	net.Listener

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool
}

func (l *cutListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		cut := l.cut
		if !cut {
			l.open[c] = true
		}
		l.mu.Unlock()
		if !cut {
			return &cutConn{Conn: c, of: l}, nil
		}
		_ = c.Close()
	}
}

// Cut ends all connections, and new ones as soon as they are made.
func (l *cutListener) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		_ = c.Close()
	}
}

// Mend lets new connections in again.
func (l *cutListener) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

type cutConn struct {
	net.Conn
	of *cutListener
}

func (c *cutConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c.Conn)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
