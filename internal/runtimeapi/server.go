//go:build unix

package runtimeapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	prefix     = "/2018-06-01/runtime/"
	extensions = "/2020-01-01/extension/"
)

// closeLimit ends the wait for a handler that hangs, which none should.
const closeLimit = 5 * time.Second

// server serves the Runtime API to one process.
type server struct {
	address   string        // host:port
	calls     chan *call    // unbuffered: taken when the process asks for an event
	ready     chan struct{} // closed when it asks for the first one
	initError chan []byte   // holds what it reported in place of that

	http   *http.Server
	stop   context.CancelFunc // ends requests that wait for an event
	served chan error

	firstNext sync.Once
	mu        sync.Mutex
	running   *call
}

// call is one invocation.
type call struct {
	id       string
	payload  []byte
	deadline time.Time
	arn      string
	answered chan answer // holds one
}

type answer struct {
	payload []byte
	failed  bool
}

func newCall(id string, payload []byte, deadline time.Time, arn string) *call {
	return &call{id: id, payload: payload, deadline: deadline, arn: arn, answered: make(chan answer, 1)}
}

func (a answer) err() error {
	if a.failed {
		return &FunctionError{Payload: a.payload}
	}
	return nil
}

func newServer() (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("runtimeapi: listening on loopback: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &server{
		address:   listener.Addr().String(),
		calls:     make(chan *call),
		ready:     make(chan struct{}),
		initError: make(chan []byte, 1),
		stop:      stop,
		served:    make(chan error, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"invocation/next", s.next)
	mux.HandleFunc("POST "+prefix+"invocation/{id}/response", s.answer(false))
	mux.HandleFunc("POST "+prefix+"invocation/{id}/error", s.answer(true))
	mux.HandleFunc("POST "+prefix+"init/error", s.failInit)
	mux.HandleFunc("POST "+extensions+"register", s.register)
	mux.HandleFunc("GET "+extensions+"event/next", s.nextEvent)
	s.http = &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// close ends the server and its handlers. Its process is gone, so none of them
// takes long: those that read lose their connection, those that wait their context.
func (s *server) close() error {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("runtimeapi: serving on %s: %w", s.address, err)
	}
	return nil
}

func (s *server) next(w http.ResponseWriter, r *http.Request) {
	s.firstNext.Do(func() { close(s.ready) })
	select {
	case c := <-s.calls:
		s.mu.Lock()
		s.running = c
		s.mu.Unlock()
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", c.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(c.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", c.arn)
		_, _ = w.Write(c.payload) // a process that is gone is noticed where it is waited for
	case <-r.Context().Done():
	}
}

func (s *server) answer(failed bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		payload, err := io.ReadAll(r.Body)
		if err != nil {
			return // the process ended in the middle of its answer
		}
		s.mu.Lock()
		c := s.running
		if c != nil && c.id == r.PathValue("id") {
			s.running = nil
		} else {
			c = nil
		}
		s.mu.Unlock()
		if c == nil {
			refuse(w, http.StatusBadRequest, "InvalidRequestID", "request "+r.PathValue("id")+" is not the running invocation")
			return
		}
		accept(w)
		c.answered <- answer{payload: payload, failed: failed}
	}
}

// register takes an extension of the process itself. None is told of events: one
// that asks for them is refused.
func (s *server) register(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Events []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Events) > 0 {
		refuse(w, http.StatusBadRequest, "Extension.NotSupported", "this server has no events for extensions")
		return
	}
	w.Header().Set("Lambda-Extension-Identifier", "internal")
	_, _ = io.WriteString(w, "{}")
}

func (s *server) nextEvent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func (s *server) failInit(w http.ResponseWriter, r *http.Request) {
	payload, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	select {
	case s.initError <- payload:
		accept(w)
	default:
		refuse(w, http.StatusForbidden, "InvalidStateTransition", "the start error has already been reported")
	}
}

func accept(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`+"\n")
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	body, err := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message})
	if err != nil {
		panic(err) // two strings
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
