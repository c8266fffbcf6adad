package embedded_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/stage"
)

// get sends a request to the console of a runtime, on a connection of its own.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// Not parallel, because another test could listen on its port after it.
func TestTheConsoleIsServedWhileTheRuntimeRuns(t *testing.T) {
	env, err := embedded.New(application(), embedded.WithVirtualTime(epoch), embedded.WithConsole("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	url := env.ConsoleURL()
	if status, page := get(t, url); status != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("the page is %d %q", status, page)
	}
	var about api.About
	if status, text := get(t, url+"api/v1/about"); status != http.StatusOK || json.Unmarshal([]byte(text), &about) != nil {
		t.Errorf("about is %d %q", status, text)
	}
	if !about.Actions || about.Place.Kind != "embedded" || !about.Now.Equal(epoch) {
		t.Errorf("about is %+v; want actions, the runtime's time and its place", about)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(url, "http:"), "/")); err == nil {
		conn.Close()
		t.Error("it is served on after the end of Run")
	}
}

func TestOptionsOfTheConsoleAreAddedToTheRuntimesOwn(t *testing.T) {
	t.Parallel()
	env := running(t, embedded.WithConsole("127.0.0.1:0", console.WithPlace(api.Place{Kind: "my shop"})))
	if _, text := get(t, env.ConsoleURL()+"api/v1/about"); !strings.Contains(text, "my shop") || !strings.Contains(text, `"actions":true`) {
		t.Errorf("about is %s", text)
	}
}

func TestWhereTheConsoleListens(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	inIPv6 := "http://[::1]:"
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		l.Close()
	} else { // This machine has no IPv6.
		inIPv6 = "error: the console cannot listen: listen tcp [::1]:0: "
	}
	for addr, want := range map[string]string{
		"127.0.0.1:0":          "http://127.0.0.1:",
		":0":                   "http://127.0.0.1:",
		"localhost:0":          "http://",
		"[::1]:0":              inIPv6,
		"":                     "http://127.0.0.1:",
		"0.0.0.0:0":            "error: 0.0.0.0 is not a loopback address",
		"192.0.2.1:0":          "error: mount console.Handler behind a login of your own",
		"example.com:80":       "error: example.com is not a loopback address",
		"8080":                 "error: give host:port, such as " + embedded.ConsoleAddr,
		"127.0.0.1:http-or-so": "error: another address",
		taken.Addr().String():  "error: address already in use; use another address, or port 0",
	} {
		t.Run(addr, func(t *testing.T) {
			env, err := embedded.New(application(), embedded.WithConsole(addr))
			if text, fails := strings.CutPrefix(want, "error: "); fails {
				if err == nil || !strings.Contains(err.Error(), text) || !strings.HasPrefix(err.Error(), "embedded: ") {
					t.Errorf("the error is %v, want one that says %q", err, text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			run(t, env)
			if url := env.ConsoleURL(); !strings.HasPrefix(url, want) || !strings.HasSuffix(url, "/") {
				t.Errorf("its address is %s, want %s…", url, want)
			}
		})
	}
}

// Two programs, each with the default: the second gets another port.
func TestAnotherPortReplacesTheDefaultIfItIsInUse(t *testing.T) {
	t.Parallel()
	first, second := running(t, embedded.WithConsole("")), running(t, embedded.WithConsole(""))
	if a, b := first.ConsoleURL(), second.ConsoleURL(); a == b || a == "" || b == "" {
		t.Errorf("the addresses are %q and %q", a, b)
	}
}

// An open page does not keep Run from returning.
func TestAnOpenPageDoesNotDelayTheEndOfRun(t *testing.T) {
	t.Parallel()
	env, err := embedded.New(application(), embedded.WithConsole("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	client := http.Client{Transport: &http.Transport{}}
	answer, err := client.Get(env.ConsoleURL() + "api/v1/live")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("live is %s", answer.Status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil && !strings.Contains(err.Error(), "EOF") {
		t.Errorf("the page's connection ends with %v", err)
	}
	client.CloseIdleConnections()
}

// A program that only runs a runtime links no HTTP server and no console page.
func TestAProgramWithoutTheConsoleDoesNotLinkIt(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	binary := filepath.Join(t.TempDir(), "plain")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./testdata/plain").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(symbols), "turnstile/embedded.") {
		t.Fatal("the binary has no symbols of embedded: the test has lost it")
	}
	for _, not := range []string{"net/http.(*Server).Serve", "turnstile/console.Handler", "turnstile/internal/console.Handler", "turnstile/internal/console/page."} {
		if strings.Contains(string(symbols), not) {
			t.Errorf("it links %s", not)
		}
	}
}
