package awslambda

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// Option configures RunOrchestrator, RunActivities, RunQueries, NewOrchestrator, NewActivityFunction or NewClient.
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
	queries     client.Querier
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

// WithAWSConfig creates the AWS clients from cfg instead of from the environment, for example for
// tracing, a different HTTP client, or different credentials.
func WithAWSConfig(cfg aws.Config) Option { return option(func(o *options) { o.aws = &cfg }) }

// WithConfig replaces the configuration from environment variables.
func WithConfig(e Config) Option { return option(func(o *options) { o.environment = &e }) }

// WithSettings sets the settings of the host; zero fields mean the defaults. A TURNSTILE_ variable that
// is set takes precedence over its field. It has no effect on a client.
func WithSettings(s host.Settings) Option { return option(func(o *options) { o.settings = s }) }

// WithCodecs encodes payloads before they are written to tables and queues, and decodes them when they
// are read; see package codec. Orchestrator, worker and every client need the same codecs.
func WithCodecs(set *codec.Set) Option { return option(func(o *options) { o.codecs = set }) }

// WithArchive sets an archive of your own, which receives each history before retention purges it
// (turnstile.Retention, RetentionDays). An error of the archive is counted under the reason "archive"
// of the metric Attention, which has an alarm. The role of the orchestrator needs the permissions that
// the archive uses. For an S3 bucket, use the stack's parameter ArchiveBucket instead; both together
// are an error. It has no effect on a worker or a client.
func WithArchive(a store.Archive) Option { return option(func(o *options) { o.archive = a }) }

// WithObserver notifies observer in addition to the metrics. It is called from several goroutines and
// must not block. It has no effect on a client.
func WithObserver(observer host.Observer) Option {
	return option(func(o *options) { o.observer = observer })
}

// WithPropagator adds the headers of p, such as the context of a trace, to the messages of turns. It
// has no effect on a worker or a client.
func WithPropagator(p host.Propagator) Option {
	return option(func(o *options) { o.propagator = p })
}

// WithFlush calls f at the end of each invocation, before its response, because Lambda may then
// freeze or stop the process while it still holds data that it has not sent. An error is logged. It
// has no effect on a client.
func WithFlush(f func(context.Context) error) Option {
	return option(func(o *options) { o.flush = f })
}

// WithLogger sets the logger of the host and of orchestrations. Default: JSON lines to standard output.
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

// metricsOf returns the metrics of a function; at the level debug each invocation writes its own line.
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

// flushed calls flush at the end of an invocation.
func flushed(ctx context.Context, logger *slog.Logger, flush func(context.Context) error) {
	if flush == nil {
		return
	}
	if err := flush(ctx); err != nil {
		logger.WarnContext(ctx, "telemetry was not sent at the end of the invocation", "error", err)
	}
}
