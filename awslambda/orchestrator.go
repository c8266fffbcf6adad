package awslambda

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	awsscheduler "github.com/aws/aws-sdk-go-v2/service/scheduler"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	hostdelivery "github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
	"github.com/turnstile-go/turnstile/internal/settings"
	"github.com/turnstile-go/turnstile/internal/timer/scheduler"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// Reasons of embeddedmetrics.Attention in addition to those of that package.
const (
	// attentionBacklog is an instance whose messages have waited longer than
	// Environment.BacklogAge.
	attentionBacklog = "backlog"
	// attentionActivityDead is an activity that no delivery has completed.
	attentionActivityDead = "activity_dead"
	// attentionReturning is a message of a queue other than the FIFO queue that was redelivered
	// returnedOften times.
	attentionReturning = "returning"
)

// staleGroup is the age from which a group's backlog is logged with its name.
const staleGroup = time.Minute

// defaultBacklogAge is the default of the template's BacklogAgeAlarmSeconds.
const defaultBacklogAge = 5 * time.Minute

// returnedOften is the receive count at which a message needs an operator.
const returnedOften = hostdelivery.ReturnedOften

// Orchestrator handles the invocations of the orchestrator function.
type Orchestrator struct {
	host    batchHandler
	sources map[string]platform.Source // by event source ARN
	metrics *embeddedmetrics.Metrics
	logger  *slog.Logger
	now     func() time.Time
	// backlogAge is the age of a group's oldest message at which it needs an operator.
	backlogAge time.Duration
	// note is the catalog of this build, stored during the first invocation.
	note *catalogNote
	// archive is checked during the first invocation; nil for no archive, or one that is not a bucket.
	archive *archiveCheck
	close   func()
	flush   func(context.Context) error
}

// batchHandler is *orchestrator.Orchestrator or *worker.Worker.
type batchHandler interface {
	Handle(ctx context.Context, batch []platform.Delivery) (failed []string)
}

// NewOrchestrator returns the orchestrator of an application, configured from its environment
// variables, for programs that start Lambda themselves; RunOrchestrator does both. It makes no request.
func NewOrchestrator(app *turnstile.App, environ []string, opts ...Option) (*Orchestrator, error) {
	o := collect(opts)
	env, err := o.read(orchestratorConfig, environ)
	if err != nil {
		return nil, err
	}
	if err := app.Err(); err != nil {
		return nil, err
	}
	if err := o.configure(); err != nil {
		return nil, err
	}
	hostSettings := orchestratorSettings(o.settings, env)
	if err := settings.Check("WithSettings", hostSettings); err != nil {
		return nil, err
	}
	logger, metrics := o.logTo(env.LogLevel), o.metricsOf(env, "orchestrator")
	clients := withThrottlesCounted(*o.aws, metrics.Throttled)
	queues, err := orchestratorQueues(awssqs.NewFromConfig(clients), env)
	if err != nil {
		return nil, err
	}
	timers, err := scheduler.New(awsscheduler.NewFromConfig(clients), scheduler.Options{
		Group: env.ScheduleGroup, RoleARN: env.ScheduleRoleARN,
		TargetARN: env.OrchestratorQueueARN, DeadLetterARN: env.DelayQueueARN,
		KMSKeyARN: env.ScheduleKeyARN,
	})
	if err != nil {
		return nil, err
	}
	tables := dynamo.Config{Shards: env.IndexShards, Tables: dynamo.Tables{History: env.HistoryTable, Instances: env.InstancesTable, Activities: env.ActivitiesTable, Keys: env.KeysTable}}
	client := dynamodb.NewFromConfig(clients)
	keys, err := keyring.New(keyring.Config{Keys: dynamo.NewKeys(client, tables), Current: env.TokenKey})
	if err != nil {
		return nil, err
	}
	archive, err := o.archiveOf(clients, env)
	if err != nil {
		return nil, err
	}
	stops := dynamo.NewActivities(client, tables)
	var publisher publishing.Publisher
	if env.EventBus != "" {
		publisher = &bus{client: eventbridge.NewFromConfig(clients), name: env.EventBus, environment: env.Environment}
	}
	h, err := orchestrator.New(orchestrator.Config{
		Build:          buildName(),
		Orchestrations: app.Orchestrations(),
		Inline:         app.Activities(),
		Services:       orchestrator.Services{Store: dynamo.New(client, tables), Stops: stops, Queues: queues, Timer: timers, Archive: archive, Publisher: publisher},
		Codecs:         o.codecs,
		Keys:           keys,
		Senders:        platform.Senders{ActivityRole: env.ActivityRoleID, ActivitiesMaySend: env.ActivitiesMaySend},
		Settings:       hostSettings,
		Environment:    platform.Environment{RequestID: requestID, Observer: o.observers(metrics, logger), Logger: logger},
		Propagator:     o.propagator,
	})
	if err != nil {
		return nil, err
	}
	warnUnknown(logger, env)
	return &Orchestrator{
		host:       h,
		metrics:    metrics,
		logger:     logger,
		now:        time.Now,
		backlogAge: env.BacklogAge,
		note:       &catalogNote{app: app, serves: servesOrchestrations, to: stops, logger: logger},
		archive:    checkOf(archive, metrics, logger),
		close:      h.Close,
		flush:      o.flush,
		sources: map[string]platform.Source{
			env.OrchestratorQueueARN: platform.SourceOrchestrator,
			env.DelayQueueARN:        platform.SourceDelay,
			env.ActivityDeadQueueARN: platform.SourceActivityDead,
		},
	}, nil
}

// Handle handles one invocation. Records of a queue that is not one of the orchestrator's are logged
// and reported as failed, so that no message is lost. The error is always nil.
func (o *Orchestrator) Handle(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	o.metrics.Start()
	defer o.metrics.End()
	defer flushed(ctx, o.logger, o.flush)
	defer o.note.start(ctx)()
	defer o.archive.start(ctx)()
	logReceived(ctx, o.logger, e.Records)
	batch := make([]platform.Delivery, 0, len(e.Records))
	var foreign []string
	for i := range e.Records {
		r := &e.Records[i]
		source, ok := o.sources[r.EventSourceARN]
		if !ok {
			o.logger.ErrorContext(ctx, "message from a queue that is not an event source of the orchestrator: compare the function's event source mappings with its TURNSTILE_…_QUEUE_ARN variables",
				"queue", r.EventSourceARN, "message_id", r.MessageId)
			foreign = append(foreign, r.MessageId)
			continue
		}
		batch = append(batch, delivery(r, source))
	}
	o.backlog(ctx, batch)
	return response(append(o.host.Handle(ctx, batch), foreign...)), nil
}

// Flush writes the metrics that the process still holds. RunOrchestrator calls it when Lambda
// announces the end of the process.
func (o *Orchestrator) Flush() { o.metrics.Flush() }

// Close unwinds the cached instances: deferred functions of their code run. It also writes the metrics
// that the process holds.
func (o *Orchestrator) Close() {
	o.close()
	o.metrics.Flush()
}

// backlog measures how long the oldest message of each group of the FIFO queue has waited, and logs
// the group if that time is long. For the other queues, where messages may have to wait, it counts
// messages that are redelivered again and again.
func (o *Orchestrator) backlog(ctx context.Context, batch []platform.Delivery) {
	var oldest *platform.Delivery
	for i := range batch {
		d := &batch[i]
		if d.Source == platform.SourceActivityDead {
			o.metrics.Add(embeddedmetrics.Attention, attentionActivityDead, 1)
		}
		if d.Source != platform.SourceOrchestrator {
			if d.ReceiveCount >= returnedOften {
				o.metrics.Add(embeddedmetrics.Attention, attentionReturning, 1)
				o.logger.WarnContext(ctx, "message was redelivered many times", "message_id", d.ID, "receives", d.ReceiveCount)
			}
			continue
		}
		if d.Group == wire.SweepGroup {
			continue // A sweep that waits delays nothing, and a metric that is written every five minutes costs money.
		}
		if !d.SentAt.IsZero() && (oldest == nil || d.SentAt.Before(oldest.SentAt)) {
			oldest = d
		}
	}
	if oldest == nil {
		return
	}
	age := max(o.now().Sub(oldest.SentAt), 0)
	o.metrics.Backlog(age)
	if age > cmp.Or(o.backlogAge, defaultBacklogAge) {
		o.metrics.Add(embeddedmetrics.Attention, attentionBacklog, 1)
	}
	if age >= staleGroup {
		o.logger.WarnContext(ctx, "messages of a group have waited for a long time", "group", oldest.Group, "message_id", oldest.ID,
			"receives", oldest.ReceiveCount, "message_age", age.Seconds())
	}
}

func orchestratorQueues(client sqs.Client, env Config) (q platform.Queues, err error) {
	for _, each := range []struct {
		queue *queue.Queue
		url   string
	}{
		{&q.Orchestrator, env.OrchestratorQueueURL},
		{&q.Delay, env.DelayQueueURL},
		{&q.Activity, env.ActivityQueueURL},
		{&q.ActivityDead, env.ActivityDeadQueueURL},
		{&q.DeadFIFO, env.DeadFIFOQueueURL},
		{&q.DeadStandard, env.DeadQueueURL},
	} {
		if *each.queue, err = sqs.New(client, each.url, sqs.Options{}); err != nil {
			return platform.Queues{}, err
		}
	}
	q.Named, err = namedQueues(client, env.ActivityQueues)
	return q, err
}

// orchestratorSettings lets a variable that is set take precedence over its field.
func orchestratorSettings(s host.Settings, env Config) host.Settings {
	if env.TimerBorder != 0 {
		s.Dispatch.TimerBorder = env.TimerBorder
	}
	if env.TimerLeast != 0 {
		s.Dispatch.TimerLeast = env.TimerLeast
	}
	if env.RetentionDays != 0 {
		s.Purge.Retention = time.Duration(env.RetentionDays) * 24 * time.Hour
	}
	if env.KeepExecutions != 0 {
		s.Purge.Executions = env.KeepExecutions
	}
	if s.Cache.Bytes == 0 {
		s.Cache.Bytes = env.MemoryMB << 20 / 4 // 0, if the memory is not known, means the default.
	}
	for _, limit := range []struct {
		set  *int
		from int
	}{
		{&s.Limits.Events, env.MaxHistory}, {&s.Limits.Bytes, env.MaxHistoryBytes}, {&s.Limits.Operations, env.MaxOperations},
	} {
		if limit.from != 0 {
			*limit.set = limit.from
		}
	}
	s.Limits.Bytes = boundedHistory(s.Limits.Bytes, env.MemoryMB)
	return workerSettings(s, env)
}

// boundedHistory limits the bytes of a history to what a cold turn can hold: a quarter of the
// function's memory, like the cache. A larger history would kill each process that reads it, while a
// history beyond the limit fails its instance with a reason. If the memory is not known, there is no
// such limit.
func boundedHistory(limit, memoryMB int) int {
	if memoryMB == 0 {
		return limit
	}
	if limit == 0 {
		limit = host.DefaultSettings().Limits.Bytes
	}
	return min(limit, memoryMB<<20/4)
}

// workerSettings is like orchestratorSettings, for the activity function; inline activities also have
// these limits.
func workerSettings(s host.Settings, env Config) host.Settings {
	if env.MaxResult != 0 {
		s.Limits.Result = env.MaxResult
	}
	return s
}

func warnUnknown(logger *slog.Logger, env Config) {
	for _, name := range env.Unknown {
		logger.Warn("environment variable is not known to this build: misspelt, or meant for a newer build", "variable", name)
	}
}
