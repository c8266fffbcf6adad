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

// AllowHosts adds names by which the console is reached, as they stand in the
// request's Host header: "ops.example.com", or with a port that has to fit,
// "ops.example.com:8443". Default: localhost, 127.0.0.1 and ::1, at any port. A
// request for another host is refused: a page of a stranger whose name resolves
// to this machine could else read all that the console shows (DNS rebinding).
//
// Behind a proxy that rewrites Host, give the name that people see all the same:
// actions demand that the page comes from it.
func AllowHosts(names ...string) Option {
	return option(func(o *options) { o.hosts = append(o.hosts, names...) })
}

// AllowActions lets the console act: start, raise, cancel, terminate, wake,
// purge, complete by token, redrive. Default: it reads only.
func AllowActions() Option { return option(func(o *options) { o.actions = true }) }

// WithPlace says where the instances are kept, for the page's "about".
func WithPlace(p api.Place) Option { return option(func(o *options) { o.place = p }) }

// WithLinks gives templates of links to logs and traces. Default: none.
func WithLinks(l api.Links) Option { return option(func(o *options) { o.links = l }) }

// Variables with templates of links.
const (
	logsLink   = "TURNSTILE_LOGS_LINK"
	tracesLink = "TURNSTILE_TRACES_LINK"
)

// WithLinksOf takes templates from environment variables, where these are set.
func WithLinksOf(getenv func(string) string) Option {
	return option(func(o *options) {
		o.links.Logs = cmp.Or(getenv(logsLink), o.links.Logs)
		o.links.Traces = cmp.Or(getenv(tracesLink), o.links.Traces)
	})
}

// placeholder of a template is in braces.
var placeholder = regexp.MustCompile(`\{[A-Za-z]*\*?\}`)

// placeholders are those that there are, as the page fills them (links.js).
var placeholders = []string{"instance", "request", "trace", "from", "to"}

// checkLink says what is wrong with a template; nil for one that can be used, or none.
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

// WithClock gives the time from which ages are counted, for a runtime in virtual
// time; default [time.Now].
func WithClock(now func() time.Time) Option { return option(func(o *options) { o.now = now }) }

// WithActor says on whose behalf a request acts, for the histories (Client.WithActor): the
// login that the mounting program knows. It is asked for actions and queries alone, and a
// request that names an actor itself ([ActorHeader]) is refused. Default: the one
// that the request names.
func WithActor(of func(*http.Request) string) Option {
	return option(func(o *options) { o.actor = of })
}

// Attempt is one attempt of an activity that a worker has, or that waits for one.
type Attempt struct {
	ExecutionID, EventID int64
	// Number of the attempt, from 1.
	Number int
	// Since is when its code began; zero while it waits for a worker.
	Since time.Time
}

// AttemptReader tells which attempts of an instance run or wait for a worker.
type AttemptReader interface {
	Attempts(instance string) []Attempt
}

// WithAttempts lets timelines say which attempts run, where the workers are in this
// process. Default: a timeline says what the activities table tells.
func WithAttempts(r AttemptReader) Option { return option(func(o *options) { o.attempts = r }) }

// TokenMaker makes the completion token of an activity, where the keys are at hand.
type TokenMaker interface {
	CompletionToken(ctx context.Context, instance string, executionID, eventID int64) (string, error)
}

// WithTokens lets the console complete an activity that nobody brought the token of.
// Default: it takes tokens alone.
func WithTokens(m TokenMaker) Option { return option(func(o *options) { o.tokens = m }) }

// WithExplainer gives a function that says in the words of the API what an error of
// the store or a queue means, such as a permission that is missing on AWS; it returns
// nil for an error that it does not know.
func WithExplainer(f func(error) *api.Error) Option {
	return option(func(o *options) { o.explained = f })
}

const (
	defaultPoll    = 3 * time.Second
	defaultRecords = 600
)

// WithPolling says how often the console looks at what it shows live where the store
// does not tell of changes: each thing after interval at the soonest, and all
// open pages together so that they read no more than records a minute. Default:
// 3 seconds, 600 records.
//
// A look at an instance reads 2 records, one at a list one for each row; pages
// that show the same share their looks, and nothing is read while none is open. On
// DynamoDB a record of up to 4 KB is a read unit: with the default, the looks
// cost at most 600 read units a minute, and those at an instance alone 40. What the page
// of an instance reads whenever it has moved comes on top.
//
// Where changes are told of, as an embedded runtime does, nothing is paced.
func WithPolling(interval time.Duration, records int) Option {
	return option(func(o *options) { o.poll, o.records = interval, records })
}
