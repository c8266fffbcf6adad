package awslambda

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// Config is the configuration that a process reads from its environment variables. template.yaml sets
// them on the functions; a service that creates a client sets a few of them from the stack's
// outputs.
//
// Every process:
//
//	TURNSTILE_LOG_LEVEL    debug, info, warn or error; default info
//	TURNSTILE_ENVIRONMENT  dimension of the metrics; default "default"
//
// The comment of each other field says which processes need it: o for the orchestrator, a for the
// activity function, c for a client. The query function needs HistoryTable and InstancesTable.
type Config struct {
	LogLevel slog.Level
	// Environment is the name of the deployment, such as prod. It is the only dimension of the
	// metrics.
	Environment string

	HistoryTable    string // o c  TURNSTILE_HISTORY_TABLE
	InstancesTable  string // o c  TURNSTILE_INSTANCES_TABLE
	ActivitiesTable string // o a c  TURNSTILE_ACTIVITIES_TABLE, optional for c
	KeysTable       string // o    TURNSTILE_KEYS_TABLE

	OrchestratorQueueURL string // o a c  TURNSTILE_ORCHESTRATOR_QUEUE_URL
	DelayQueueURL        string // o      TURNSTILE_DELAY_QUEUE_URL
	ActivityQueueURL     string // o a    TURNSTILE_ACTIVITY_QUEUE_URL
	// ActivityQueues are the URLs of the named activity queues by name (turnstile.Queue). For functions
	// that serve a named queue, the URL of the default queue is under "default". ActivityQueueURL is
	// the queue that the function serves.
	ActivityQueues       map[string]string // o a  TURNSTILE_ACTIVITY_QUEUES, optional: "name=QUEUE name=QUEUE"
	ActivityDeadQueueURL string            // o a    TURNSTILE_ACTIVITY_DEAD_QUEUE_URL
	DeadFIFOQueueURL     string            // o      TURNSTILE_DEAD_FIFO_QUEUE_URL
	DeadQueueURL         string            // o      TURNSTILE_DEAD_QUEUE_URL

	// The event sources of the orchestrator, which show where a message came from. Scheduler delivers to
	// the first, and puts messages that it cannot deliver into the second.
	OrchestratorQueueARN string // o  TURNSTILE_ORCHESTRATOR_QUEUE_ARN
	DelayQueueARN        string // o  TURNSTILE_DELAY_QUEUE_ARN
	ActivityDeadQueueARN string // o  TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN

	// ActivityRoleID is the unique id of the activity function's role, whose
	// messages are checked by sender; empty disables the check.
	// ActivitiesMaySend lets it send starts and events.
	ActivityRoleID    string // o  TURNSTILE_ACTIVITY_ROLE_ID, optional
	ActivitiesMaySend bool   // o  TURNSTILE_ACTIVITIES_MAY_SEND, true or false, default false

	// TokenKey is the id of the key in KeysTable for tokens; a different id rotates the key.
	TokenKey string // o  TURNSTILE_TOKEN_KEY, default "1"

	ScheduleGroup   string // o  TURNSTILE_SCHEDULE_GROUP
	ScheduleRoleARN string // o  TURNSTILE_SCHEDULE_ROLE_ARN
	// ScheduleKeyARN is the key that encrypts the schedules; empty for a key that AWS owns.
	ScheduleKeyARN string // o  TURNSTILE_SCHEDULE_KEY_ARN, optional

	// IndexShards as in dynamo.Config; 0 if the variable is not set.
	IndexShards int // o  TURNSTILE_INDEX_SHARDS, optional, 8 to 64

	// TimerBorder and TimerLeast as in host.Settings: 0 if the variable is not set; TimerBorder is
	// negative if the variable is "0".
	TimerBorder time.Duration // o  TURNSTILE_TIMER_BORDER, optional, 0 to 15m
	TimerLeast  time.Duration // o  TURNSTILE_TIMER_LEAST, optional, 1s to 15m

	// BacklogAge is the age of a message of the FIFO queue at which the metric Attention counts it; 0,
	// if the variable is not set, means 5 minutes.
	BacklogAge time.Duration // o  TURNSTILE_BACKLOG_AGE_SECONDS, optional, 60 to 1209600

	// Limits as in host.Settings; 0 if the variable is not set. MaxResult is Settings.Limits.Result.
	MaxHistory      int // o    TURNSTILE_MAX_HISTORY_EVENTS, optional, 100 to 1000000
	MaxHistoryBytes int // o    TURNSTILE_MAX_HISTORY_BYTES, optional, 100000 to 200000000
	MaxOperations   int // o    TURNSTILE_MAX_OPERATIONS, optional, 10 to 100000
	MaxResult       int // o a  TURNSTILE_MAX_RESULT_BYTES, optional, 1000 to 262144

	// EventBus is the ARN of the event bus that receives events about instances (host.InstanceEvent);
	// empty for none.
	EventBus string // o  TURNSTILE_EVENT_BUS, optional

	// RetentionDays is Settings.Purge.Retention in days; 0 if the variable is not set, or 0.
	RetentionDays int // o  TURNSTILE_RETENTION_DAYS, optional, 0 to 36500

	// KeepExecutions is Settings.Purge.Executions; 0 if the variable is not set, or 0.
	KeepExecutions int // o  TURNSTILE_KEEP_EXECUTIONS, optional, 0 to 1000000

	// ArchiveBucket receives histories before retention purges or prunes them, under ArchivePrefix.
	// They are encrypted with ArchiveKeyARN or, without a key, with the default encryption of the
	// bucket. Empty for no archive, or for the archive of WithArchive.
	ArchiveBucket string // o  TURNSTILE_ARCHIVE_BUCKET, optional
	ArchivePrefix string // o  TURNSTILE_ARCHIVE_PREFIX, optional, ends with a slash
	ArchiveKeyARN string // o  TURNSTILE_ARCHIVE_KEY_ARN, optional

	// ArchiveBucketOwner is the account that owns ArchiveBucket: S3 refuses to write to a bucket
	// that a different account owns. Empty for any account.
	ArchiveBucketOwner string // o  TURNSTILE_ARCHIVE_BUCKET_OWNER, optional

	// MemoryMB of the function, from AWS_LAMBDA_FUNCTION_MEMORY_SIZE; 0 outside Lambda. The cache gets
	// a quarter of it, unless Settings.Cache.Bytes is set.
	MemoryMB int // o

	// Unknown lists the TURNSTILE_ variables that this build does not know: misspelt, or meant for a
	// newer build. Handlers log them at start.
	Unknown []string
}

// configProblem is one variable that is missing or wrong.
type configProblem struct {
	Variable string
	// Value of the variable; empty if it is not set.
	Value string
	// Want describes a valid value.
	Want string
}

func (p configProblem) String() string {
	if p.Value == "" {
		return fmt.Sprintf("%s is not set; it should be %s", p.Variable, p.Want)
	}
	return fmt.Sprintf("%s is %q; it should be %s", p.Variable, p.Value, p.Want)
}

// configError lists every variable that is missing or wrong.
type configError struct {
	// Process that needs the variables: "orchestrator", "activity function", "query function", "client".
	Process  string
	Problems []configProblem
}

func (e *configError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "awslambda: %s: %d environment variables are missing or wrong (template.yaml sets them; a service takes them from the stack's outputs):", e.Process, len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// orchestratorConfig reads the configuration of the orchestrator from environ, in the form of
// os.Environ. One *configError lists everything that is missing or wrong.
func orchestratorConfig(environ []string) (Config, error) {
	r := newReader(environ)
	e := r.common()
	e.HistoryTable = r.required("TURNSTILE_HISTORY_TABLE", tableName)
	e.InstancesTable = r.required("TURNSTILE_INSTANCES_TABLE", tableName)
	e.ActivitiesTable = r.required("TURNSTILE_ACTIVITIES_TABLE", tableName)
	e.KeysTable = r.required("TURNSTILE_KEYS_TABLE", tableName)
	e.ActivityRoleID = r.optional("TURNSTILE_ACTIVITY_ROLE_ID", "", roleID)
	e.ActivitiesMaySend = r.optional("TURNSTILE_ACTIVITIES_MAY_SEND", "false", truth) == "true"
	e.TokenKey = r.optional("TURNSTILE_TOKEN_KEY", "1", tokenKey)
	e.OrchestratorQueueURL = r.required("TURNSTILE_ORCHESTRATOR_QUEUE_URL", fifoQueueURL)
	e.DelayQueueURL = r.required("TURNSTILE_DELAY_QUEUE_URL", standardQueueURL)
	e.ActivityQueueURL = r.required("TURNSTILE_ACTIVITY_QUEUE_URL", standardQueueURL)
	e.ActivityQueues = r.queues("TURNSTILE_ACTIVITY_QUEUES", e.ActivityQueueURL)
	e.ActivityDeadQueueURL = r.required("TURNSTILE_ACTIVITY_DEAD_QUEUE_URL", standardQueueURL)
	e.DeadFIFOQueueURL = r.required("TURNSTILE_DEAD_FIFO_QUEUE_URL", fifoQueueURL)
	e.DeadQueueURL = r.required("TURNSTILE_DEAD_QUEUE_URL", standardQueueURL)
	e.OrchestratorQueueARN = r.required("TURNSTILE_ORCHESTRATOR_QUEUE_ARN", fifoQueueARN)
	e.DelayQueueARN = r.required("TURNSTILE_DELAY_QUEUE_ARN", standardQueueARN)
	e.ActivityDeadQueueARN = r.required("TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN", standardQueueARN)
	e.ScheduleGroup = r.required("TURNSTILE_SCHEDULE_GROUP", scheduleGroup)
	e.ScheduleKeyARN = r.optional("TURNSTILE_SCHEDULE_KEY_ARN", "", keyARN)
	e.EventBus = r.optional("TURNSTILE_EVENT_BUS", "", eventBus)
	e.ScheduleRoleARN = r.required("TURNSTILE_SCHEDULE_ROLE_ARN", roleARN)
	e.IndexShards = r.whole("TURNSTILE_INDEX_SHARDS", dynamo.DefaultShards, dynamo.MaxShards)
	e.TimerBorder = r.duration("TURNSTILE_TIMER_BORDER", 0, queue.MaxDelay)
	if e.TimerBorder == 0 && r.get("TURNSTILE_TIMER_BORDER") != "" {
		e.TimerBorder = -1
	}
	e.TimerLeast = r.duration("TURNSTILE_TIMER_LEAST", time.Second, queue.MaxDelay)
	e.BacklogAge = time.Duration(r.whole("TURNSTILE_BACKLOG_AGE_SECONDS", 60, 1_209_600)) * time.Second
	e.MaxHistory = r.whole("TURNSTILE_MAX_HISTORY_EVENTS", 100, 1_000_000)
	e.MaxHistoryBytes = r.whole("TURNSTILE_MAX_HISTORY_BYTES", 100_000, 200_000_000)
	e.RetentionDays = r.whole("TURNSTILE_RETENTION_DAYS", 0, 36_500)
	e.KeepExecutions = r.whole("TURNSTILE_KEEP_EXECUTIONS", 0, 1_000_000)
	e.ArchiveBucket = r.optional("TURNSTILE_ARCHIVE_BUCKET", "", bucketName)
	e.ArchivePrefix = r.optional("TURNSTILE_ARCHIVE_PREFIX", "", keyPrefix)
	e.ArchiveBucketOwner = r.optional("TURNSTILE_ARCHIVE_BUCKET_OWNER", "", accountID)
	e.ArchiveKeyARN = r.optional("TURNSTILE_ARCHIVE_KEY_ARN", "", keyARN)
	e.MaxOperations = r.whole("TURNSTILE_MAX_OPERATIONS", 10, 100_000)
	e.MaxResult = r.whole("TURNSTILE_MAX_RESULT_BYTES", 1_000, turnstile.MaxPayload)
	e.MemoryMB = memoryMB(environ)
	e.Unknown = r.unknown()
	return e, r.err("orchestrator")
}

// activityConfig is like orchestratorConfig, for the activity function.
func activityConfig(environ []string) (Config, error) {
	r := newReader(environ)
	e := r.common()
	e.ActivitiesTable = r.required("TURNSTILE_ACTIVITIES_TABLE", tableName)
	e.OrchestratorQueueURL = r.required("TURNSTILE_ORCHESTRATOR_QUEUE_URL", fifoQueueURL)
	e.ActivityQueueURL = r.required("TURNSTILE_ACTIVITY_QUEUE_URL", standardQueueURL)
	e.ActivityQueues = r.queues("TURNSTILE_ACTIVITY_QUEUES", e.ActivityQueueURL)
	e.ActivityDeadQueueURL = r.required("TURNSTILE_ACTIVITY_DEAD_QUEUE_URL", standardQueueURL)
	e.MaxResult = r.whole("TURNSTILE_MAX_RESULT_BYTES", 1_000, turnstile.MaxPayload)
	e.Unknown = r.unknown()
	return e, r.err("activity function")
}

// clientConfig is like orchestratorConfig, for a service that creates a client. It ignores variables of
// the functions that a client does not need. Both tables may be missing: then the client can start
// instances and raise events, but cannot read.
func clientConfig(environ []string) (Config, error) {
	r := newReader(environ)
	e := r.common()
	if r.get("TURNSTILE_HISTORY_TABLE") != "" || r.get("TURNSTILE_INSTANCES_TABLE") != "" {
		e.HistoryTable = r.required("TURNSTILE_HISTORY_TABLE", tableName)
		e.InstancesTable = r.required("TURNSTILE_INSTANCES_TABLE", tableName)
		e.ActivitiesTable = r.optional("TURNSTILE_ACTIVITIES_TABLE", "", tableName)
	}
	e.OrchestratorQueueURL = r.required("TURNSTILE_ORCHESTRATOR_QUEUE_URL", fifoQueueURL)
	return e, r.err("client")
}

// queryConfig is like orchestratorConfig, for the query function.
func queryConfig(environ []string) (Config, error) {
	r := newReader(environ)
	e := r.common()
	e.HistoryTable = r.required("TURNSTILE_HISTORY_TABLE", tableName)
	e.InstancesTable = r.required("TURNSTILE_INSTANCES_TABLE", tableName)
	e.Unknown = r.unknown()
	return e, r.err("query function")
}

// errNoRegion is separate from configError because the SDK may find a region elsewhere, in a profile.
var errNoRegion = errors.New("awslambda: no AWS region: set AWS_REGION, such as eu-central-1 (Lambda sets it by itself)")

// read reads the environment that the caller passed, or else the environment of the process.
func (o *options) read(from func([]string) (Config, error), environ []string) (Config, error) {
	if o.environment != nil {
		return *o.environment, nil
	}
	return from(environ)
}
