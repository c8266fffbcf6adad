package awslambda

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

func orchestratorVariables() map[string]string {
	return map[string]string{
		"TURNSTILE_HISTORY_TABLE":           "s-HistoryTable-1",
		"TURNSTILE_INSTANCES_TABLE":         "s-InstancesTable-1",
		"TURNSTILE_ACTIVITIES_TABLE":        "s-ActivitiesTable-1",
		"TURNSTILE_KEYS_TABLE":              "s-KeysTable-1",
		"TURNSTILE_ORCHESTRATOR_QUEUE_URL":  "https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo",
		"TURNSTILE_DELAY_QUEUE_URL":         "https://sqs.eu-central-1.amazonaws.com/123456789012/delay",
		"TURNSTILE_ACTIVITY_QUEUE_URL":      "https://sqs.eu-central-1.amazonaws.com/123456789012/activity",
		"TURNSTILE_ACTIVITY_DEAD_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/activity-dead",
		"TURNSTILE_DEAD_FIFO_QUEUE_URL":     "https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
		"TURNSTILE_DEAD_QUEUE_URL":          "http://127.0.0.1:4566/queue/us-east-1/000000000000/dead",
		"TURNSTILE_ORCHESTRATOR_QUEUE_ARN":  "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo",
		"TURNSTILE_DELAY_QUEUE_ARN":         "arn:aws:sqs:eu-central-1:123456789012:delay",
		"TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN": "arn:aws:sqs:eu-central-1:123456789012:activity-dead",
		"TURNSTILE_SCHEDULE_GROUP":          "s-ScheduleGroup-1",
		"TURNSTILE_SCHEDULE_ROLE_ARN":       "arn:aws:iam::123456789012:role/s-SchedulerRole-1",
	}
}

func environ(variables map[string]string) []string {
	var env []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		env = append(env, name+"="+variables[name])
	}
	return append(env, "PATH=/bin", "AWS_REGION=eu-central-1")
}

func TestACompleteEnvironmentIsReadWithItsDefaults(t *testing.T) {
	t.Parallel()
	e, err := orchestratorConfig(environ(orchestratorVariables()))
	if err != nil {
		t.Fatal(err)
	}
	if e.LogLevel != slog.LevelInfo || e.Environment != "default" || e.TimerBorder != 0 || e.TimerLeast != 0 || e.TokenKey != "1" {
		t.Errorf("defaults are %v, %q, %v, %v; want info, \"default\", 0, 0", e.LogLevel, e.Environment, e.TimerBorder, e.TimerLeast)
	}
	if e.HistoryTable != "s-HistoryTable-1" || e.ScheduleRoleARN != "arn:aws:iam::123456789012:role/s-SchedulerRole-1" {
		t.Errorf("values are not taken over: %+v", e)
	}
	if len(e.Unknown) != 0 {
		t.Errorf("Unknown = %v, want none", e.Unknown)
	}
}

func TestEverythingThatIsMissingIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		process string
		read    func([]string) (Config, error)
		want    int
	}{
		{"orchestrator", orchestratorConfig, len(orchestratorVariables())},
		{"activity function", activityConfig, 4},
		{"client", clientConfig, 1},
	}
	for _, tt := range tests {
		t.Run(tt.process, func(t *testing.T) {
			t.Parallel()
			_, err := tt.read([]string{"PATH=/bin"})
			var e *configError
			if !errors.As(err, &e) {
				t.Fatalf("error is %v, want a *configError", err)
			}
			if e.Process != tt.process || len(e.Problems) != tt.want {
				t.Errorf("%s: %d problems, want %s: %d\n%v", e.Process, len(e.Problems), tt.process, tt.want, err)
			}
			for _, p := range e.Problems {
				if !strings.Contains(err.Error(), p.Variable+" is not set; it should be "+p.Want) {
					t.Errorf("the message does not say what %s should be:\n%v", p.Variable, err)
				}
			}
		})
	}
}

func TestAWrongValueIsReportedWithWhatItShouldLookLike(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, variable, value, want string
	}{
		{"an ARN for a queue URL", "TURNSTILE_DELAY_QUEUE_URL", "arn:aws:sqs:eu-central-1:123456789012:delay", "the URL of a standard queue"},
		{"a FIFO queue for a standard one", "TURNSTILE_DELAY_QUEUE_URL", "https://sqs.eu-central-1.amazonaws.com/1/x.fifo", "the URL of a standard queue (no .fifo)"},
		{"a standard queue for a FIFO one", "TURNSTILE_ORCHESTRATOR_QUEUE_URL", "https://sqs.eu-central-1.amazonaws.com/1/x", "the URL of a FIFO queue"},
		{"a URL without a queue", "TURNSTILE_DEAD_QUEUE_URL", "https://sqs.eu-central-1.amazonaws.com/", "the URL of a standard queue"},
		{"a URL for an ARN", "TURNSTILE_DELAY_QUEUE_ARN", "https://sqs.eu-central-1.amazonaws.com/1/x", "the ARN of a standard queue"},
		{"a table's ARN for its name", "TURNSTILE_HISTORY_TABLE", "arn:aws:dynamodb:eu-central-1:123456789012:table/x", "the name of a DynamoDB table"},
		{"a role's name for its ARN", "TURNSTILE_SCHEDULE_ROLE_ARN", "SchedulerRole", "the ARN of a role"},
		{"a key's id for its ARN", "TURNSTILE_SCHEDULE_KEY_ARN", "1234abcd-12ab-34cd-56ef-1234567890ab", "the ARN of a KMS key"},
		{"a group's ARN for its name", "TURNSTILE_SCHEDULE_GROUP", "arn:aws:scheduler:eu-central-1:123456789012:schedule-group/x", "the name of an EventBridge Scheduler group"},
		{"an unknown log level", "TURNSTILE_LOG_LEVEL", "verbose", "debug, info, warn or error"},
		{"a level with an offset", "TURNSTILE_LOG_LEVEL", "info+2", "debug, info, warn or error"},
		{"a border that is no duration", "TURNSTILE_TIMER_BORDER", "15", "a duration from 0s to 15m0s"},
		{"a border beyond what a queue can delay", "TURNSTILE_TIMER_BORDER", "16m", "a duration from 0s to 15m0s"},
		{"a backlog that is none", "TURNSTILE_BACKLOG_AGE_SECONDS", "59", "a whole number from 60 to 1209600"},
		{"a limit that is no number", "TURNSTILE_MAX_HISTORY_EVENTS", "50k", "a whole number from 100 to 1000000"},
		{"a history with no room", "TURNSTILE_MAX_HISTORY_BYTES", "99999", "a whole number from 100000 to 200000000"},
		{"a bucket that is a URL", "TURNSTILE_ARCHIVE_BUCKET", "s3://acme-archive", "the name of an S3 bucket, without s3://"},
		{"a prefix without a slash at its end", "TURNSTILE_ARCHIVE_PREFIX", "prod", "that ends with a slash"},
		{"a prefix that IAM reads as a pattern", "TURNSTILE_ARCHIVE_PREFIX", "pr*d/", "letters, digits and"},
		{"an owner that is a name", "TURNSTILE_ARCHIVE_BUCKET_OWNER", "acme", "the 12 digits of an AWS account"},
		{"a key of the archive that is an alias", "TURNSTILE_ARCHIVE_KEY_ARN", "alias/acme", "the ARN of a KMS key"},
		{"fewer than no executions", "TURNSTILE_KEEP_EXECUTIONS", "-1", "a whole number from 0 to 1000000"},
		{"a retention that is negative", "TURNSTILE_RETENTION_DAYS", "-1", "a whole number from 0 to 36500"},
		{"more operations than a turn can have", "TURNSTILE_MAX_OPERATIONS", "100001", "a whole number from 10 to 100000"},
		{"a result larger than a payload may be", "TURNSTILE_MAX_RESULT_BYTES", "262145", "a whole number from 1000 to 262144"},
		{"a role's ARN for its id", "TURNSTILE_ACTIVITY_ROLE_ID", "arn:aws:iam::123456789012:role/x", "the unique id of a role"},
		{"what is neither true nor false", "TURNSTILE_ACTIVITIES_MAY_SEND", "yes", "true or false"},
		{"a key's id that no token can name", "TURNSTILE_TOKEN_KEY", "a.b", "the id of a key of the stack"},
		{"a name with spaces", "TURNSTILE_ENVIRONMENT", "my env", "1 to 128 letters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			variables := orchestratorVariables()
			variables[tt.variable] = tt.value
			_, err := orchestratorConfig(environ(variables))
			var e *configError
			if !errors.As(err, &e) || len(e.Problems) != 1 || e.Problems[0].Variable != tt.variable {
				t.Fatalf("error is %v, want one problem with %s", err, tt.variable)
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.value) {
				t.Errorf("message %q does not contain %q and the value", err, tt.want)
			}
		})
	}
}

func TestAVariableThatThisBuildDoesNotKnowIsReportedNotRefused(t *testing.T) {
	t.Parallel()
	variables := orchestratorVariables()
	variables["TURNSTILE_TIMER_BORDR"] = "1m"
	e, err := orchestratorConfig(environ(variables))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"TURNSTILE_TIMER_BORDR"}; !slices.Equal(e.Unknown, want) {
		t.Errorf("Unknown = %v, want %v", e.Unknown, want)
	}
}

func TestTimerSettingsComeFromTheEnvironmentAndABorderOfZeroMeansNone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		border, least         string
		wantBorder, wantLeast time.Duration
	}{
		{"", "", 0, 0},
		{"0", "1s", -1, time.Second},
		{"10m", "90s", 10 * time.Minute, 90 * time.Second},
	}
	for _, tt := range tests {
		variables := orchestratorVariables()
		variables["TURNSTILE_TIMER_BORDER"] = tt.border
		variables["TURNSTILE_TIMER_LEAST"] = tt.least
		e, err := orchestratorConfig(environ(variables))
		if err != nil || e.TimerBorder != tt.wantBorder || e.TimerLeast != tt.wantLeast {
			t.Errorf("border %q, least %q: %v, %v, %v; want %v, %v", tt.border, tt.least, e.TimerBorder, e.TimerLeast, err, tt.wantBorder, tt.wantLeast)
		}
	}
}

func TestTheActivityRoleComesFromTheEnvironment(t *testing.T) {
	t.Parallel()
	variables := orchestratorVariables()
	variables["TURNSTILE_ACTIVITY_ROLE_ID"], variables["TURNSTILE_ACTIVITIES_MAY_SEND"] = "AROA1234567890EXAMPLE", "true"
	e, err := orchestratorConfig(environ(variables))
	if err != nil || e.ActivityRoleID != "AROA1234567890EXAMPLE" || !e.ActivitiesMaySend {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = orchestratorConfig(environ(orchestratorVariables()))
	if err != nil || e.ActivityRoleID != "" || e.ActivitiesMaySend {
		t.Errorf("by default: %+v, %v", e, err)
	}
}

func TestLimitsComeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	variables := orchestratorVariables()
	variables["TURNSTILE_MAX_HISTORY_EVENTS"] = "1000000"
	variables["TURNSTILE_MAX_HISTORY_BYTES"] = "200000000"
	variables["TURNSTILE_MAX_OPERATIONS"] = "100000"
	variables["TURNSTILE_RETENTION_DAYS"] = "36500"
	variables["TURNSTILE_MAX_RESULT_BYTES"] = "262144"
	variables["TURNSTILE_BACKLOG_AGE_SECONDS"] = "600"
	e, err := orchestratorConfig(environ(variables))
	if err != nil || e.MaxHistory != 1_000_000 || e.MaxHistoryBytes != 200_000_000 || e.MaxOperations != 100_000 || e.MaxResult != 262_144 || e.RetentionDays != 36_500 || e.BacklogAge != 10*time.Minute {
		t.Errorf("orchestrator: %+v, %v", e, err)
	}
	all := variables
	variables = map[string]string{"TURNSTILE_MAX_RESULT_BYTES": "1000"}
	for _, name := range []string{"TURNSTILE_ACTIVITIES_TABLE", "TURNSTILE_ORCHESTRATOR_QUEUE_URL", "TURNSTILE_ACTIVITY_QUEUE_URL", "TURNSTILE_ACTIVITY_DEAD_QUEUE_URL"} {
		variables[name] = all[name]
	}
	e, err = activityConfig(environ(variables))
	if err != nil || e.MaxResult != 1000 || len(e.Unknown) > 0 {
		t.Errorf("activity function: %+v, %v", e, err)
	}
}

func TestTheCacheGetsAQuarterOfTheFunctionsMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says     string
		set      int
		mb, want int
	}{{"512", 0, 512, 128 << 20}, {"128", 0, 128, 32 << 20}, {"512", 1000, 512, 1000}, {"much", 0, 0, 0}, {"-5", 0, 0, 0}, {"", 0, 0, 0}} {
		e, err := orchestratorConfig(append(environ(orchestratorVariables()), "AWS_LAMBDA_FUNCTION_MEMORY_SIZE="+c.says))
		if err != nil {
			t.Fatal(err)
		}
		if got := orchestratorSettings(host.Settings{Cache: host.CacheSettings{Bytes: c.set}}, e).Cache.Bytes; e.MemoryMB != c.mb || got != c.want {
			t.Errorf("of a function of %q MB, with %d set, the cache gets %d bytes, want %d", c.says, c.set, got, c.want)
		}
	}
}
