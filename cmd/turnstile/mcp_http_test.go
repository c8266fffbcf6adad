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

// agentOverHTTP runs `turnstile mcp --http` until the test ends, and returns its address and token.
func (b *bench) agentOverHTTP(args ...string) (url, token string) {
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
	lines := bufio.NewReader(said)
	var text string
	for range 3 {
		line, err := lines.ReadString('\n')
		if err != nil {
			b.t.Fatal(err)
		}
		text += line
	}
	_, token, _ = strings.Cut(text, "Bearer ")
	token, _, _ = strings.Cut(token, "\n")
	return regexp.MustCompile(`http://[0-9.:]+/`).FindString(text), token
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestAnAgentConnectsOverHTTP(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url, token := b.agentOverHTTP()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
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
		"no token":               {want: http.StatusUnauthorized},
		"another token":          {header: [2]string{"Authorization", "Bearer " + token + "x"}, want: http.StatusUnauthorized},
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

func TestTheTokenOfAnAgentComesFromItsVariable(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	b.env = map[string]string{"TURNSTILE_MCP_TOKEN": "a-token-of-at-least-16-characters"}
	if _, token := b.agentOverHTTP(); token != b.env["TURNSTILE_MCP_TOKEN"] {
		t.Errorf("the token is %q", token)
	}
	b = sampled(t)
	b.env = map[string]string{"TURNSTILE_MCP_TOKEN": "short"}
	if status := b.run("mcp", "--http", "127.0.0.1:0").status; status != exitUsage {
		t.Errorf("a short one: status %d", status)
	}
}
