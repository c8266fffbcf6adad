package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
)

// rawAgent writes lines to `turnstile mcp`, and reads its answers.
type rawAgent struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func (b *bench) rawAgent(args ...string) *rawAgent {
	b.t.Helper()
	toServer, fromTest := io.Pipe()
	toTest, fromServer := io.Pipe()
	var errs bytes.Buffer
	c := &cli{
		getenv: func(name string) string { return b.env[name] }, now: b.clock.Now, in: toServer, out: fromServer, err: &errs,
		open: func(s *backend.Settings) backend.Backend {
			b.settings = s
			return b
		},
	}
	ended := make(chan int, 1)
	go func() {
		status := c.run(context.Background(), append([]string{"mcp"}, args...))
		fromServer.Close()
		ended <- status
	}()
	a := &rawAgent{t: b.t, in: fromTest, out: bufio.NewScanner(toTest)}
	a.out.Buffer(nil, 16<<20)
	b.t.Cleanup(func() {
		fromTest.Close()
		if status := <-ended; status != exitOK {
			b.t.Errorf("it ended with status %d: %s", status, errs.String())
		}
	})
	a.initialize()
	return a
}

func (a *rawAgent) initialize() {
	a.write(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	a.read()
	a.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (a *rawAgent) write(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatalf("the server no longer reads: %v", err)
	}
}

// rpcAnswer is a response of JSON-RPC.
type rpcAnswer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (a *rawAgent) read() (answer rpcAnswer) {
	a.t.Helper()
	if !a.out.Scan() {
		a.t.Fatalf("the server has ended: %v", a.out.Err())
	}
	if err := json.Unmarshal(a.out.Bytes(), &answer); err != nil {
		a.t.Fatalf("%v in %s", err, a.out.Text())
	}
	return answer
}

func TestALineThatIsNotAMessageGetsAnErrorAndTheServerContinues(t *testing.T) {
	t.Parallel()
	a := sampled(t).rawAgent()
	for _, c := range []struct {
		name, line string
		code       int
		id, says   string
	}{
		{"text", "hello", -32700, "null", "not JSON"},
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":"pi`, -32700, "null", "not JSON"},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700, "null", "not JSON"},
		{"binary", "\x00\xff\xfe", -32700, "null", "not JSON"},
		{"a number", "5", -32600, "null", "not a JSON object"},
		{"null", "null", -32600, "null", "not a JSON object"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "null", "a line of its own"},
		{"an empty batch", "[]", -32600, "null", "a line of its own"},
		{"an empty object", "{}", -32600, "null", "JSON-RPC 2.0"},
		{"another version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, "7", "JSON-RPC 2.0"},
		{"a method that is no text", `{"jsonrpc":"2.0","id":"x","method":5}`, -32600, `"x"`, "JSON-RPC 2.0"},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null", "JSON-RPC 2.0"},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`, -32600, "null", "bytes"},
		{"nested too deep", strings.Repeat("[", 100_000), -32700, "null", "not JSON"},
		{"a method that does not exist", `{"jsonrpc":"2.0","id":8,"method":"tools/fly"}`, -32601, "8", "tools/fly"},
		{"a method without its parameters", `{"jsonrpc":"2.0","id":9,"method":"tools/call"}`, -32600, "9", ""},
		{"parameters of another type", `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":5}`, -32602, "10", ""},
		{"a tool that does not exist", `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"fly"}}`, -32602, "11", "fly"},
		{"a resource that does not exist", `{"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":"turnstile://docs/none.md"}}`, -32602, "12", ""},
	} {
		a.write(c.line)
		got := a.read()
		if got.Error == nil || got.Error.Code != c.code || string(got.ID) != c.id || !strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s: the answer is %+v of id %s, want %d of id %s", c.name, got.Error, got.ID, c.code, c.id)
		}
	}
	// Nothing answers these, and the server continues all the same.
	for _, line := range []string{"", "  \t", "\r", `{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/unheard"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}`} {
		a.write(line)
	}
	a.write(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"describe_instance","arguments":{"instance":"order-1"}}}`)
	if got := a.read(); got.Error != nil || string(got.ID) != `"last"` || !strings.Contains(string(got.Result), "order-1") {
		t.Errorf("after all that the answer is %s %+v", got.Result, got.Error)
	}
}
