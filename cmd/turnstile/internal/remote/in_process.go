package remote

import (
	"bytes"
	"io"
	"net/http"
)

// inProcess sends requests to a handler in this process.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := answer{header: http.Header{}, status: http.StatusOK}
	asked := r.Clone(r.Context())
	asked.RequestURI = r.URL.RequestURI()
	asked.Host = r.URL.Host
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	t.handler.ServeHTTP(&w, asked)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answer is an http.ResponseWriter that stores the response.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
