package awslambda

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
	"github.com/turnstile-go/turnstile/internal/settings"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// ActivityFunction handles the invocations of the activity function.
type ActivityFunction struct {
	host    batchHandler
	metrics *embeddedmetrics.Metrics
	logger  *slog.Logger
	flush   func(context.Context) error
	// note is the catalog of this build, stored during the first invocation.
	note *catalogNote
}

// NewActivityFunction returns the handler of the activity function, configured from environment
// variables, for programs that start Lambda themselves; [RunActivities] does both. It makes no request.
func NewActivityFunction(app *turnstile.App, environ []string, opts ...Option) (*ActivityFunction, error) {
	o := collect(opts)
	env, err := o.read(activityConfig, environ)
	if err != nil {
		return nil, err
	}
	if err := app.Err(); err != nil {
		return nil, err
	}
	if err := o.configure(); err != nil {
		return nil, err
	}
	hostSettings := workerSettings(o.settings, env)
	if err := settings.Check("WithSettings", hostSettings); err != nil {
		return nil, err
	}
	logger, metrics := o.logTo(env.LogLevel), o.metricsOf(env, activityFunction(env))
	clients := withThrottlesCounted(*o.aws, metrics.Throttled)
	queues := platform.Queues{}
	client := awssqs.NewFromConfig(clients)
	if queues.Orchestrator, err = sqs.New(client, env.OrchestratorQueueURL, sqs.Options{}); err != nil {
		return nil, err
	}
	if queues.Activity, err = sqs.New(client, env.ActivityQueueURL, sqs.Options{}); err != nil {
		return nil, err
	}
	if queues.ActivityDead, err = sqs.New(client, env.ActivityDeadQueueURL, sqs.Options{}); err != nil {
		return nil, err
	}
	stops := dynamo.NewActivities(dynamodb.NewFromConfig(clients), dynamo.Config{Tables: dynamo.Tables{Activities: env.ActivitiesTable}})
	if queues.Named, err = namedQueues(client, env.ActivityQueues); err != nil {
		return nil, err
	}
	h, err := worker.New(worker.Config{
		Activities:  app.Activities(),
		Stops:       stops,
		Queues:      queues,
		Queue:       servedQueue(env),
		Codecs:      o.codecs,
		Settings:    hostSettings,
		Environment: platform.Environment{RequestID: requestID, Observer: o.observers(metrics, logger), Logger: logger},
	})
	if err != nil {
		return nil, err
	}
	warnUnknown(logger, env)
	return &ActivityFunction{host: h, metrics: metrics, logger: logger, flush: o.flush,
		note: &catalogNote{app: app, serves: servesActivities, to: stops, logger: logger}}, nil
}

// Handle handles one invocation. The error is always nil.
func (w *ActivityFunction) Handle(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	w.metrics.Start()
	defer w.metrics.End()
	defer flushed(ctx, w.logger, w.flush)
	defer w.note.start(ctx)()
	logReceived(ctx, w.logger, e.Records)
	batch := make([]platform.Delivery, 0, len(e.Records))
	for i := range e.Records {
		batch = append(batch, delivery(&e.Records[i], platform.SourceActivity))
	}
	return response(w.host.Handle(ctx, batch)), nil
}

// Flush writes the metrics that the process still holds. RunActivities calls it when Lambda
// announces the end of the process.
func (w *ActivityFunction) Flush() { w.metrics.Flush() }
