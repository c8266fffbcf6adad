package console

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// handler serves the page and the API.
type handler struct {
	options
	client  *client.Client
	guard   guard
	counter *counter
	watcher *watcher
	turns   *turnCache
	replays chan struct{} // a value for each replay in progress
	routes  []route
}

// Handler returns the console of a client: the page at its root, the JSON API under api/v1/. All
// URLs in it are relative, so that it can be mounted under any path with http.StripPrefix. The
// error names an invalid option.
//
// The handler has no login; docs/console.md describes how it is protected.
func Handler(c *client.Client, opts ...Option) (http.Handler, error) {
	if c == nil {
		return nil, errors.New("console: the client is nil: create one, or use the runtime's")
	}
	h := &handler{client: c, options: options{now: time.Now, place: api.Place{Kind: "unknown"}, poll: defaultPoll, records: defaultRecords}}
	for _, o := range opts {
		o.apply(&h.options)
	}
	now := h.now
	h.now = func() time.Time { return now().UTC().Truncate(time.Millisecond) }
	var err error
	if h.guard, err = newGuard(h.hosts, h.actions); err != nil {
		return nil, err
	}
	if err := errors.Join(checkLink(logsLink, h.links.Logs), checkLink(tracesLink, h.links.Traces)); err != nil {
		return nil, err
	}
	if app := c.App(); h.catalog == nil && app != nil {
		h.catalog = &ownCatalog{app: app, since: h.now()}
	}
	h.counter = &counter{client: c, now: h.now, paused: h.pausedQueues, keep: countsKeepPolled}
	if c.Changed() != nil {
		h.counter.keep = countsKeepPushed
	}
	h.watcher = h.newWatcher()
	h.turns = newTurnCache(c)
	h.replays = make(chan struct{}, mostReplays)
	h.routes = h.table()
	return h, nil
}

// base is the prefix of the API's paths.
const base = "api/v1/"

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	// Use the encoded path, because an instance id may contain a slash.
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/")
	rest, isAPI := strings.CutPrefix(path, base)
	if err := h.guard.host(r); err != nil {
		h.fail(w, err)
		return
	}
	switch {
	case isAPI:
		h.serveAPI(w, r, rest)
	case strings.HasPrefix(path+"/", "api/"):
		h.fail(w, api.Errorf(api.CodeNoSuchRoute, "the API has no %q: its paths start with %s", clip(path, 100), base))
	default:
		servedFiles().ServeHTTP(w, r)
	}
}
