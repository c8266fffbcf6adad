package console

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Option is an option of [Handler].
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	hosts     []string
	actions   bool
	place     api.Place
	now       func() time.Time
	actor     func(*http.Request) string
	explained func(error) *api.Error
	dead      *deadLetters
	attempts  AttemptReader
	catalog   CatalogReader
	tokens    TokenMaker
	queues    QueueReader
	logs      LogReader
	links     api.Links
	poll      time.Duration
	records   int
}

// AllowHosts adds hosts for which the console accepts requests, as in the Host header:
// "ops.example.com", or with a port that must match, "ops.example.com:8443". By default it accepts
// localhost, 127.0.0.1 and ::1, with any port. Requests for other hosts are refused, because a
// hostile page whose name resolves to this machine could otherwise read everything that the console
// shows (DNS rebinding).
//
// Behind a proxy that rewrites Host, also add the name that users see, because actions require that
// the page comes from an allowed host.
func AllowHosts(names ...string) Option {
	return option(func(o *options) { o.hosts = append(o.hosts, names...) })
}

// AllowActions allows actions: start, raise, cancel, terminate, wake, purge, complete by token,
// redrive. By default the console is read-only.
func AllowActions() Option { return option(func(o *options) { o.actions = true }) }

// WithPlace sets where the instances are stored, for the page "About".
func WithPlace(p api.Place) Option { return option(func(o *options) { o.place = p }) }

// WithLinks sets templates of links to logs and traces; default none.
func WithLinks(l api.Links) Option { return option(func(o *options) { o.links = l }) }

// Variables with templates of links.
const (
	logsLink   = "TURNSTILE_LOGS_LINK"
	tracesLink = "TURNSTILE_TRACES_LINK"
)

// WithLinksOf takes the templates from environment variables, if these are set.
func WithLinksOf(getenv func(string) string) Option {
	return option(func(o *options) {
		o.links.Logs = cmp.Or(getenv(logsLink), o.links.Logs)
		o.links.Traces = cmp.Or(getenv(tracesLink), o.links.Traces)
	})
}

// placeholder matches a placeholder of a template, in braces.
var placeholder = regexp.MustCompile(`\{[A-Za-z]*\*?\}`)

// placeholders are the known placeholders, which the page fills in (links.js).
var placeholders = []string{"instance", "request", "trace", "from", "to"}

// checkLink returns an error for an invalid template.
func checkLink(name, template string) error {
	if template == "" {
		return nil
	}
	if scheme, _, _ := strings.Cut(strings.ToLower(template), "://"); scheme != "https" && scheme != "http" {
		return fmt.Errorf("console: %s is %q: it must start with https:// or http://", name, clip(template, 100))
	}
	for _, p := range placeholder.FindAllString(template, -1) {
		if !slices.Contains(placeholders, strings.TrimRight(strings.Trim(p, "{}"), "*")) {
			return fmt.Errorf("console: %s has the unknown placeholder %s: the placeholders are {%s}", name, p, strings.Join(placeholders, "}, {"))
		}
	}
	return nil
}

// WithClock sets the clock from which ages are counted, for a runtime in virtual time; default
// [time.Now].
func WithClock(now func() time.Time) Option { return option(func(o *options) { o.now = now }) }

// WithActor sets the function that returns on whose behalf a request acts, for the histories
// (Client.WithActor): the login that the program knows. It is called only for actions and queries,
// and a request that gives an actor itself ([ActorHeader]) is refused. By default the actor is the
// one that the request gives.
func WithActor(of func(*http.Request) string) Option {
	return option(func(o *options) { o.actor = of })
}

// Attempt is an attempt of an activity that a worker runs, or that waits for a worker.
type Attempt struct {
	ExecutionID, EventID int64
	// Number of the attempt, from 1.
	Number int
	// Since is when its code started; zero while it waits for a worker.
	Since time.Time
}

// AttemptReader returns the attempts of an instance that run or wait for a worker.
type AttemptReader interface {
	Attempts(instance string) []Attempt
}

// WithAttempts makes timelines show which attempts are running, if the workers are in this process.
// By default a timeline shows what the activities table has.
func WithAttempts(r AttemptReader) Option { return option(func(o *options) { o.attempts = r }) }

// TokenMaker makes the completion token of an activity, if the keys are available.
type TokenMaker interface {
	CompletionToken(ctx context.Context, instance string, executionID, eventID int64) (string, error)
}

// WithTokens makes the console complete activities without their tokens. By default it requires the
// token.
func WithTokens(m TokenMaker) Option { return option(func(o *options) { o.tokens = m }) }

// WithExplainer sets a function that converts an error of the store or a queue, such as a missing
// permission on AWS, to an error of the API. It returns nil for an error that it does not know.
func WithExplainer(f func(error) *api.Error) Option {
	return option(func(o *options) { o.explained = f })
}

const (
	defaultPoll    = 3 * time.Second
	defaultRecords = 600
)

// WithPolling sets how often the console polls what it shows live, if the store does not report
// changes. It polls each thing at most once per interval, and all open pages together read at most
// records per minute. The default is 3 seconds and 600 records.
//
// A poll of an instance reads 2 records, and a poll of a list one for each row. Pages that show the
// same thing share their polls, and nothing is read while no page is open. On DynamoDB a record of
// up to 4 KB is a read unit, so by default polls cost at most 600 read units per minute, and those
// of a single instance 40. What the page of an instance reads after each change is additional.
//
// If changes are reported, as by an embedded runtime, there is no polling.
func WithPolling(interval time.Duration, records int) Option {
	return option(func(o *options) { o.poll, o.records = interval, records })
}
