package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// longestLine is the largest size of a message in bytes. An escaped input of 256 KB needs about
// 1.5 MB.
const longestLine = 4 << 20

// Codes of JSON-RPC 2.0.
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// Lines returns a transport over two streams with a message on each line. A line that is not a message is
// answered with a JSON-RPC error, and the server continues; the SDK's own transport ends the session.
func Lines(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	shared := &lineWriter{out: out}
	return &mcp.IOTransport{Reader: &lineReader{in: bufio.NewReader(in), closer: in, errors: shared}, Writer: shared}
}

// lineWriter writes whole messages: those of the server, and errors about invalid lines.
type lineWriter struct {
	mu  sync.Mutex
	out io.WriteCloser
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *lineWriter) Close() error { return w.out.Close() }

// lineReader passes on valid messages, and answers all other lines with an error.
type lineReader struct {
	in     *bufio.Reader
	closer io.Closer
	errors io.Writer
	// rest is the unread part of the current line.
	rest []byte
}

func (r *lineReader) Close() error { return r.closer.Close() }

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, long, err := r.line()
		if err != nil && len(line) == 0 {
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		code, problem := wrongLine(line)
		if long {
			code, problem = codeInvalid, fmt.Errorf("the message is longer than %d bytes", longestLine)
		}
		if problem == nil {
			r.rest = append(line, '\n')
			continue
		}
		if err := r.refuse(idOf(line), code, problem); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line reads a line and reports whether it is too long. It returns the first longestLine bytes.
func (r *lineReader) line() (line []byte, long bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if room := longestLine - len(line); len(part) > room {
			part, long = part[:room], true
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// wrongLine returns an error if a line is not a message.
func wrongLine(line []byte) (code int, problem error) {
	switch {
	case !json.Valid(line):
		return codeParse, errors.New("the line is not JSON")
	case line[0] == '[':
		return codeInvalid, errors.New("a batch is not supported: send each message on a line of its own")
	case line[0] != '{':
		return codeInvalid, errors.New("the line is not a JSON object")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return codeInvalid, fmt.Errorf("the line is not a JSON-RPC 2.0 message: %w", err)
	}
	return 0, nil
}

// idOf returns the id of an invalid request; null if it has none.
func idOf(line []byte) json.RawMessage {
	var request struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &request) != nil || len(request.ID) == 0 || request.ID[0] == '{' || request.ID[0] == '[' {
		return json.RawMessage("null")
	}
	return request.ID
}

func (r *lineReader) refuse(id json.RawMessage, code int, problem error) error {
	type wire struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   wire            `json:"error"`
	}{"2.0", id, wire{code, problem.Error()}})
	if err != nil {
		return err
	}
	_, err = r.errors.Write(append(text, '\n'))
	return err
}
