package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Two consoles without an address: the second takes another port.
func TestTheConsoleTakesAFreePortIfItsOwnIsTaken(t *testing.T) {
	t.Parallel()
	unset := func(s *consoleServer) { s.addr = "" }
	first, second := serve(t, newBench(t), unset), serve(t, newBench(t), unset)
	if first == second || !strings.HasPrefix(first, "http://127.0.0.1:") || !strings.HasPrefix(second, "http://127.0.0.1:") {
		t.Errorf("they listen on %s and %s", first, second)
	}
}

// serve runs the console command until the test ends, and returns its address.
func serve(t *testing.T, b *bench, change func(*consoleServer)) string {
	t.Helper()
	var out, errs bytes.Buffer
	c := &cli{out: &out, err: &errs, getenv: func(string) string { return "" }, now: b.clock.Now, open: func(s *backend.Settings) backend.Backend {
		b.settings = s
		return b
	}, settings: settings{Settings: backend.Settings{Getenv: func(string) string { return "" }}}}
	urls := make(chan string, 1)
	s := &consoleServer{cli: c, addr: "127.0.0.1:0", every: 3 * time.Second, reads: 600, listening: func(url string) { urls <- url }}
	if change != nil {
		change(s)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	select {
	case url := <-urls:
		if !strings.Contains(out.String(), url) {
			t.Errorf("printed is %q", out.String())
		}
		return url
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return ""
	}
}

func fetch(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Turnstile-Action", "1")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestTheConsoleShowsWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url := serve(t, b, nil)
	_, shown := fetch(t, "GET", url+"api/v1/instances/order-2", "")
	var page, printed api.Instance
	if err := errors.Join(json.Unmarshal([]byte(shown), &page), json.Unmarshal([]byte(b.ok("describe", "order-2", "--output", "json")), &printed)); err != nil {
		t.Fatal(err)
	}
	printed.PendingOperations = nil
	one, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(printed)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("the console shows\n%s\nand the command prints\n%s", one, other)
	}
	if status, text := fetch(t, "GET", url, ""); status != 200 || !strings.Contains(text, "<title>") {
		t.Errorf("the page is %d %.200s", status, text)
	}
	if status, text := fetch(t, "POST", url+"api/v1/instances/order-2/wake", "{}"); status != 403 || !strings.Contains(text, "read_only") {
		t.Errorf("an action is %d %s", status, text)
	}
	if status, text := fetch(t, "POST", url+"api/v1/dead-letters/peek", "{}"); status != 200 || !strings.Contains(text, "letters") {
		t.Errorf("dead letters are %d %s", status, text)
	}
}

func TestTheConsoleActsWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url := serve(t, b, func(s *consoleServer) { s.actions = true })
	if status, text := fetch(t, "POST", url+"api/v1/instances/order-2/wake", "{}"); status != 200 {
		t.Errorf("a wake is %d %s", status, text)
	}
}

func TestTheConsoleListensOnThisMachineAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, addr := range []string{"0.0.0.0:0", ":8877", "[::]:0", "192.168.1.2:80", "example.com:80"} {
		b.fails(exitUsage, []string{"no login", "--allow-host"}, "console", "--addr", addr)
	}
	b.fails(exitUsage, []string{"host:port"}, "console", "--addr", "8877")
	b.fails(exitUsage, []string{"--reads"}, "console", "--reads", "0")
	b.fails(exitUsage, []string{"--allow-host", "without a scheme"}, "console", "--allow-host", "https://x")
	b.env = map[string]string{"TURNSTILE_LOGS_LINK": "ftp://logs"}
	b.fails(exitUsage, []string{"TURNSTILE_LOGS_LINK", "https://"}, "console")
	url := serve(t, sampled(t), func(s *consoleServer) { s.addr, s.hosts = "0.0.0.0:0", []string{"ops.example.com"} })
	r, err := http.NewRequestWithContext(t.Context(), "GET", strings.Replace(url, "[::]", "127.0.0.1", 1)+"api/v1/about", nil)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{"ops.example.com": 200, "evil.example": http.StatusMisdirectedRequest} {
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s: %d, want %d", host, answer.StatusCode, want)
		}
	}
}
