package awslambda

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// Option changes what RunOrchestrator, RunActivities, NewOrchestrator, NewActivityFunction
// or NewClient would do by themselves.
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	aws         *aws.Config
	environment *Config
	settings    host.Settings
	codecs      *codec.Set
	archive     store.Archive
	observer    host.Observer
	propagator  host.Propagator
	flush       func(context.Context) error
	logger      *slog.Logger
	out         io.Writer
}

func collect(opts []Option) options {
	o := options{out: os.Stdout}
	for _, opt := range opts {
		opt.apply(&o)
	}
	return o
}

// WithAWSConfig makes the AWS clients from cfg instead of from the
// environment: for tracing, another HTTP client, or other credentials.
func WithAWSConfig(cfg aws.Config) Option { return option(func(o *options) { o.aws = &cfg }) }

// WithConfig gives what would be read from environment variables.
func WithConfig(e Config) Option { return option(func(o *options) { o.environment = &e }) }

// WithSettings bounds what the host does; zero fields mean the defaults. A
// TURNSTILE_ variable that is set goes before its field. A client has none.
func WithSettings(s host.Settings) Option { return option(func(o *options) { o.settings = s }) }

// WithCodecs seals payloads on their way into tables and queues, and opens them
// on their way out; see package codec. Orchestrator, worker and every client
// need the same.
func WithCodecs(set *codec.Set) Option { return option(func(o *options) { o.codecs = set }) }

// WithArchive gives what is to be purged by its retention (turnstile.Retention,
// RetentionDays) to an archive of your own before it is purged; an error of it is the
// reason "archive" of the metric Attention, which has an alarm. The role of the
// orchestrator needs what the archive does. For a bucket of S3, leave it out and give the
// stack the parameter ArchiveBucket; both together are an error. A worker and a client have
// none.
func WithArchive(a store.Archive) Option { return option(func(o *options) { o.archive = a }) }

// WithObserver tells o what happens, beside the metrics. It is called from
// several goroutines and must not block. A client has none.
func WithObserver(observer host.Observer) Option {
	return option(func(o *options) { o.observer = observer })
}

// WithPropagator gives what turns send the context of their traces. A worker and a
// client have none.
func WithPropagator(p host.Propagator) Option {
	return option(func(o *options) { o.propagator = p })
}

// WithFlush calls f at the end of each invocation, before its answer: Lambda may
// stop the process after it, with what is not sent yet. An error is logged. A client has none.
func WithFlush(f func(context.Context) error) Option {
	return option(func(o *options) { o.flush = f })
}

// WithLogger gives a logger to the host and to orchestrations. Default: JSON lines to
// standard output.
func WithLogger(l *slog.Logger) Option { return option(func(o *options) { o.logger = l }) }

// withOutput writes log and metrics to w instead of standard output.
func withOutput(w io.Writer) Option { return option(func(o *options) { o.out = w }) }

func (o *options) logTo(level slog.Level) *slog.Logger {
	logger := o.logger
	if logger == nil {
		logger = newLogger(o.out, level)
	}
	return slog.New(logattr.New(logger.Handler(), invocationAttrs))
}

// metricsOf makes the metrics of a function; at the level debug each invocation has
// a line of its own.
func (o *options) metricsOf(env Config, function string) *embeddedmetrics.Metrics {
	return embeddedmetrics.New(embeddedmetrics.Config{Environment: env.Environment, Function: function, Out: o.out, Each: env.LogLevel <= slog.LevelDebug})
}

func (o *options) observers(m *embeddedmetrics.Metrics, logger *slog.Logger) host.Observer {
	all := observers{m, commitLog{logger: logger}}
	if o.observer != nil {
		all = append(all, o.observer)
	}
	return all
}

// flushed calls what is to be called at the end of each invocation.
func flushed(ctx context.Context, logger *slog.Logger, flush func(context.Context) error) {
	if flush == nil {
		return
	}
	if err := flush(ctx); err != nil {
		logger.WarnContext(ctx, "telemetry is not sent at the end of the invocation", "error", err)
	}
}
