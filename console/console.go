package console

import (
	"net/http"
	"os"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
)

// Option is an option of Handler.
type Option = console.Option

// Handler returns the console of a client: the page at its root, the JSON API under api/v1/.
// All addresses in it are relative, so that it can be mounted under any path with
// http.StripPrefix. The error names an option that cannot be.
//
// The handler has no login; docs/console.md has what protects it beyond that. It takes the
// templates of links to logs and traces from the environment variables TURNSTILE_LOGS_LINK and
// TURNSTILE_TRACES_LINK; docs/settings.md has what stands in them.
func Handler(c *client.Client, opts ...Option) (http.Handler, error) {
	return console.Handler(c, append([]Option{console.WithLinksOf(os.Getenv)}, opts...)...)
}

// AllowActions lets the console act: start, raise, cancel, terminate, wake, purge, complete
// by token, redrive. Default: it reads only.
func AllowActions() Option { return console.AllowActions() }

// AllowHosts adds names by which the console is reached, as they stand in the request's Host
// header: "ops.example.com", or with a port that has to fit, "ops.example.com:8443". Default:
// localhost, 127.0.0.1 and ::1, at any port. A request for another host is refused: otherwise
// a page of a stranger, whose name resolves to this machine, could read all that the console
// shows (DNS rebinding).
//
// Behind a proxy that rewrites Host, give the name that people see all the same: actions
// demand that the page comes from it.
func AllowHosts(names ...string) Option { return console.AllowHosts(names...) }

// WithActor returns the login on whose behalf a request acts, which histories name
// (client.Client.WithActor). It is asked for actions and queries only, and a request that names an actor
// itself (the header Turnstile-Actor) is refused. Default: the one that the request names.
func WithActor(of func(*http.Request) string) Option { return console.WithActor(of) }

// WithPolling says how often the console looks at what it shows live, where the store does not
// tell it of changes: at each thing after interval at the soonest, and all open pages
// together read at most records a minute. Default: 3 seconds, 600 records.
//
// A look at an instance reads 2 records, a look at a list one for each row. Pages that show
// the same share their looks, and nothing is read while no page is open. On DynamoDB a record
// of up to 4 KB is a read unit: with the default, the looks cost at most 600 read units a
// minute, and those at one instance 40.
//
// Whenever an instance has moved, its page reads more: up to 50 activities, as many for each child
// that is unfolded, what it waits for (up to 200 requests, on the tabs that show it), and on the
// tab Tree up to 450 requests.
func WithPolling(interval time.Duration, records int) Option {
	return console.WithPolling(interval, records)
}
