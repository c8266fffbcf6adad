package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
)

// agentOverHTTP runs `turnstile mcp --http` until the test ends, and returns its address.
func (b *bench) agentOverHTTP(args ...string) string {
	b.t.Helper()
	said, says := io.Pipe()
	c := &cli{
		in: strings.NewReader(""), out: io.Discard, err: says, getenv: func(name string) string { return b.env[name] }, now: b.clock.Now,
		open: func(s *backend.Settings) backend.Backend {
			b.settings = s
			return b
		},
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- c.run(ctx, append([]string{"mcp", "--http", "127.0.0.1:0"}, args...)) }()
	b.t.Cleanup(func() {
		end()
		if status := <-ended; status != exitOK {
			b.t.Errorf("it ended with status %d", status)
		}
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		b.t.Fatal(err)
	}
	return regexp.MustCompile(`http://[0-9.:]+/`).FindString(line)
}

func TestAnAgentConnectsOverHTTP(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url := b.agentOverHTTP()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	a := &agent{t, session}
	if got := a.tools(); !slices.Equal(got, looks) {
		t.Errorf("its tools are %v", got)
	}
	a.says("describe_instance", `{"instance":"order-3"}`, `"card declined"`)

	// What a web page sends is refused before it is read.
	for name, c := range map[string]struct {
		host   string
		header [2]string
		want   int
	}{
		"a page of another site": {header: [2]string{"Sec-Fetch-Site", "cross-site"}, want: http.StatusForbidden},
		"another origin":         {header: [2]string{"Origin", "http://evil.example"}, want: http.StatusForbidden},
		"another name":           {host: "evil.example", want: http.StatusMisdirectedRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.header[0] != "" {
			r.Header.Set(c.header[0], c.header[1])
		}
		r.Host = c.host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, answer.StatusCode, c.want)
		}
	}
}

func TestAnAgentIsServedOnLoopbackAlone(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.com:80", "127.0.0.1"} {
		if status := sampled(t).run("mcp", "--http", addr).status; status != exitUsage {
			t.Errorf("%s: status %d, want %d", addr, status, exitUsage)
		}
	}
}
