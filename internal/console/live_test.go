package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// running is a console of a runtime that runs until the test ends.
func running(t *testing.T, options ...console.Option) (*bench, *client.Client) {
	t.Helper()
	b := &bench{t: t, tokens: make(chan string, 10)}
	env, err := embedded.New(demo.App(0, func(_, token string) { b.tokens <- token }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	h, err := console.Handler(env.Client(), append([]console.Option{console.AllowActions(), console.WithPolling(100*time.Millisecond, 1_000_000)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	b.h = h
	return b, env.Client()
}

// follower reads a live stream.
type follower struct {
	t     *testing.T
	lines *bufio.Reader
}

func (b *bench) follow(query string) *follower {
	b.t.Helper()
	server := httptest.NewServer(b.h)
	ctx, stop := context.WithTimeout(b.t.Context(), 5*time.Minute)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/live?"+query, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		stop()
		_ = answer.Body.Close()
		server.Close()
	})
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(answer.Body)
		b.t.Fatalf("the stream is %s: %s", kind, text)
	}
	return &follower{b.t, bufio.NewReader(answer.Body)}
}

// next returns the next message, held against openapi.json.
func (f *follower) next() (event string, data []byte) {
	f.t.Helper()
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			f.t.Fatal(err)
		}
		line = strings.TrimSuffix(line, "\n")
		if e, ok := strings.CutPrefix(line, "event: "); ok {
			event = e
		}
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			f.check(event, d)
			return event, []byte(d)
		}
	}
}

func (f *follower) check(event, data string) {
	f.t.Helper()
	doc, err := file()
	if err != nil {
		f.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		f.t.Fatalf("%s: %v", event, err)
	}
	check := validator{doc: doc}
	check.value(event, v, object{"$ref": "#/components/schemas/Live" + strings.ToUpper(event[:1]) + event[1:]})
	for _, p := range check.problems {
		f.t.Error(p)
	}
}

// until reads messages until one of that event meets is.
func until[T any](f *follower, event string, is func(T) bool) T {
	f.t.Helper()
	for {
		e, data := f.next()
		var v T
		if e != event {
			continue
		}
		if err := json.Unmarshal(data, &v); err != nil {
			f.t.Fatal(err)
		}
		if is(v) {
			return v
		}
	}
}

func TestAnInstanceIsFollowedFromBeforeItsStartToItsEnd(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	f := b.follow("instance=order%2F1")
	if e, _ := f.next(); e != "hello" {
		t.Fatalf("the first message is %s", e)
	}
	until(f, "gone", func(g api.LiveGone) bool { return g.Instance == "order/1" })
	if _, err := client.Start(t.Context(), c, orders.Fulfil, demo.Order("1", 1), client.WithInstanceID("order/1")); err != nil {
		t.Fatal(err)
	}
	waiting := until(f, "instance", func(i api.LiveInstance) bool { return i.LastEventID >= 6 })
	if waiting.Instance.Status != "running" {
		t.Errorf("it stands as %+v", waiting.Instance)
	}
	if err := client.Raise(t.Context(), c, orders.Approved, "order/1", orders.Approval{By: "Grace", Approved: false}); err != nil {
		t.Fatal(err)
	}
	done := until(f, "instance", func(i api.LiveInstance) bool { return i.Instance.Status == "completed" })
	if done.LastEventID <= waiting.LastEventID || done.Instance.Output == nil {
		t.Errorf("it ended as %+v", done)
	}
}

func TestAListReportsWhatIsNewAndWhatHasLeft(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	f := b.follow("status=running&name=Fulfil&page_size=2")
	all := until(f, "list", func(api.LiveList) bool { return true })
	if len(all.Order) != 0 || all.More {
		t.Errorf("at first it is %+v", all)
	}
	for _, id := range []string{"a", "b", "c"} {
		if _, err := client.Start(t.Context(), c, orders.Fulfil, demo.Order(id, 1), client.WithInstanceID(id)); err != nil {
			t.Fatal(err)
		}
		until(f, "list", func(l api.LiveList) bool { return len(l.Order) > 0 && l.Order[0] == id })
	}
	if err := client.Raise(t.Context(), c, orders.Approved, "c", orders.Approval{}); err != nil {
		t.Fatal(err)
	}
	last := until(f, "list", func(l api.LiveList) bool { return len(l.Order) == 2 && l.Order[0] == "b" })
	if strings.Join(last.Gone, " ") != "c" || last.More {
		t.Errorf("at last it is %+v", last)
	}
}

func TestAServerThatCannotStreamIsReported(t *testing.T) {
	t.Parallel()
	b := looking(t)
	w := &noFlush{header: http.Header{}}
	b.h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/v1/live?instance=x", nil))
	if !strings.HasPrefix(w.text.String(), `{"error":{"code":"not_offered"`) || !strings.HasPrefix(w.header.Get("Content-Type"), "application/json") {
		t.Errorf("answered is %s", w.text.String())
	}
}

// noFlush is a ResponseWriter without Flush.
type noFlush struct {
	header http.Header
	text   strings.Builder
}

func (w *noFlush) Header() http.Header         { return w.header }
func (w *noFlush) Write(b []byte) (int, error) { return w.text.Write(b) }
func (w *noFlush) WriteHeader(int)             {}
