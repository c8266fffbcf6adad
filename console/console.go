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

// Handler returns the console of a client: the page at its root, and the JSON API under api/v1/.
// All links in the page are relative, so the handler can be mounted under any path with
// http.StripPrefix. The error names an invalid option.
//
// The handler has no login; docs/console.md describes its other protections. It reads the
// templates of links to logs and traces from the environment variables TURNSTILE_LOGS_LINK and
// TURNSTILE_TRACES_LINK; see docs/settings.md for their format.
func Handler(c *client.Client, opts ...Option) (http.Handler, error) {
	return console.Handler(c, append([]Option{console.WithLinksOf(os.Getenv)}, opts...)...)
}

// AllowActions allows users of the console to start, cancel, terminate, suspend, wake, redrive and
// purge instances, to raise events and complete activities, and to take all other actions. By
// default the console is read-only.
func AllowActions() Option { return console.AllowActions() }

// AllowHosts adds host names that requests may have in their Host header: "ops.example.com", or
// "ops.example.com:8443" to require a port. By default the console accepts localhost, 127.0.0.1 and
// ::1, with any port. It refuses requests for all other hosts, because a foreign page whose host
// name resolves to this machine could otherwise read everything that the console shows (DNS
// rebinding).
//
// Behind a proxy that rewrites Host, add the public host name too, because actions are accepted
// only from a page of an allowed host.
func AllowHosts(names ...string) Option { return console.AllowHosts(names...) }

// WithActor sets the function that returns the user on whose behalf a request acts; histories
// record that actor (client.Client.WithActor). The function is called only for actions and queries.
// With this option a request that itself names an actor (in the header Turnstile-Actor) is refused.
// By default the actor is whoever the request names.
func WithActor(of func(*http.Request) string) Option { return console.WithActor(of) }

// WithPolling sets how often the console polls for changes, if the store does not report them:
// each instance or list at most once per interval, and all open pages together at most the given
// number of records per minute. The default is 3 seconds and 600 records.
//
// A poll of an instance reads 2 records, and a poll of a list reads one per row. Pages that show
// the same instance or list share their polls, and nothing is read while no page is open. On
// DynamoDB a record of up to 4 KB costs one read unit, so with the default polling costs at most
// 600 read units per minute, and 40 for a single instance.
//
// When an instance has changed, its page reads more: up to 50 activities, up to 50 for each
// unfolded child, what the instance waits for (up to 200 requests, on the tabs that show it), and
// up to 450 requests on the tab Tree.
func WithPolling(interval time.Duration, records int) Option {
	return console.WithPolling(interval, records)
}
