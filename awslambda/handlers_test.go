package awslambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/archive/s3"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/store"
)

// recorder is a host that keeps what it gets and fails what it is told to.
type recorder struct {
	got  []platform.Delivery
	fail []string
}

func (r *recorder) Handle(_ context.Context, batch []platform.Delivery) []string {
	r.got = append(r.got, batch...)
	return append([]string{}, r.fail...)
}

func record(id, arn, group string, sent time.Time) events.SQSMessage {
	r := events.SQSMessage{MessageId: id, EventSourceARN: arn, Attributes: map[string]string{"ApproximateReceiveCount": "1"}}
	if group != "" {
		r.Attributes["MessageGroupId"] = group
	}
	if !sent.IsZero() {
		r.Attributes["SentTimestamp"] = itoa(sent.UnixMilli())
	}
	return r
}

func itoa(n int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func orchestratorWith(h batchHandler, out *bytes.Buffer, now time.Time) *Orchestrator {
	clock := func() time.Time { return now }
	return &Orchestrator{
		host: h, metrics: embeddedmetrics.New(embeddedmetrics.Config{Environment: "test", Function: "orchestrator", Out: out, Now: clock}), now: clock,
		logger: slog.New(slog.NewJSONHandler(out, nil)), close: func() {},
		sources: map[string]platform.Source{"fifo": platform.SourceOrchestrator, "delay": platform.SourceDelay, "dead": platform.SourceActivityDead},
	}
}

func TestTheSourceOfARecordIsItsQueue(t *testing.T) {
	t.Parallel()
	h := &recorder{fail: []string{"b"}}
	o := orchestratorWith(h, &bytes.Buffer{}, time.Now())
	got, err := o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		record("a", "fifo", "g", time.Time{}), record("b", "delay", "", time.Time{}), record("c", "dead", "", time.Time{}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := response([]string{"b"}); !slices.Equal(got.BatchItemFailures, want.BatchItemFailures) {
		t.Errorf("answer is %v, want %v", got, want)
	}
	var sources []platform.Source
	for _, d := range h.got {
		sources = append(sources, d.Source)
	}
	if want := []platform.Source{platform.SourceOrchestrator, platform.SourceDelay, platform.SourceActivityDead}; !slices.Equal(sources, want) {
		t.Errorf("sources are %v, want %v", sources, want)
	}
}

func TestARecordOfAnotherQueueIsReturnedAndTheLogSaysWhy(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	h := &recorder{}
	o := orchestratorWith(h, &out, time.Now())
	got, err := o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		record("a", "somebody-else's", "", time.Time{}), record("b", "delay", "", time.Time{}),
	}})
	if err != nil || len(got.BatchItemFailures) != 1 || got.BatchItemFailures[0].ItemIdentifier != "a" {
		t.Errorf("answer is %v, %v; want a alone", got, err)
	}
	if len(h.got) != 1 || h.got[0].ID != "b" {
		t.Errorf("the host got %v, want b alone", h.got)
	}
	if !strings.Contains(out.String(), "somebody-else's") {
		t.Errorf("the log does not name the queue:\n%s", out.String())
	}
}

func TestTheAgeOfAGroupsBacklogIsMeasuredAndAnOldGroupNamed(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_700_000_000_000)
	var out bytes.Buffer
	o := orchestratorWith(&recorder{}, &out, now)
	_, err := o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		record("a", "fifo", "order-1", now.Add(-2*time.Second)),
		record("b", "fifo", "order-2", now.Add(-90*time.Second)),
		record("c", "delay", "", now.Add(-900*time.Second)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"GroupBacklogAge":[90]`) {
		t.Errorf("no backlog of 90 s in\n%s", out.String())
	}
	if !strings.Contains(out.String(), `"group":"order-2"`) {
		t.Errorf("the old group is not named in\n%s", out.String())
	}
}

func TestWhatNeedsAPersonIsCountedInOneMetric(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_700_000_000_000)
	often := func(r events.SQSMessage, receives string) events.SQSMessage {
		r.Attributes["ApproximateReceiveCount"] = receives
		return r
	}
	for _, tt := range []struct {
		name   string
		record events.SQSMessage
		want   string
	}{
		{"a group that has waited five minutes", record("a", "fifo", "order-1", now.Add(-300*time.Second)), ""},
		{"a group that has waited longer", record("a", "fifo", "order-1", now.Add(-301*time.Second)), "backlog"},
		{"a delayed message, which is meant to wait", record("a", "delay", "", now.Add(-900*time.Second)), ""},
		{"a message that has come back for a while", often(record("a", "delay", "", now), "11"), ""},
		{"a message that has come back for half an hour", often(record("a", "delay", "", now), "12"), "returning"},
		{"an activity that died on every delivery", record("a", "dead", "", now), "activity_dead"},
	} {
		var out bytes.Buffer
		o := orchestratorWith(&recorder{}, &out, now)
		if _, err := o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{tt.record}}); err != nil {
			t.Fatal(err)
		}
		counted := strings.Contains(out.String(), `"Attention":1`)
		if counted != (tt.want != "") || counted && !strings.Contains(out.String(), `{"`+tt.want+`":1}`) {
			t.Errorf("%s: want %q in\n%s", tt.name, tt.want, out.String())
		}
	}
}

func TestTheWorkerTakesEveryRecordAsAnActivity(t *testing.T) {
	t.Parallel()
	h := &recorder{fail: []string{"a"}}
	w := &ActivityFunction{host: h, metrics: embeddedmetrics.New(embeddedmetrics.Config{Environment: "test", Function: "activity", Out: &bytes.Buffer{}}), logger: slog.New(slog.DiscardHandler)}
	got, err := w.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{record("a", "activity", "", time.Time{})}})
	if err != nil || len(got.BatchItemFailures) != 1 || got.BatchItemFailures[0].ItemIdentifier != "a" {
		t.Errorf("answer is %v, %v; want a", got, err)
	}
	if len(h.got) != 1 || h.got[0].Source != platform.SourceActivity {
		t.Errorf("the host got %v", h.got)
	}
}

func TestAFunctionStartsWithACompleteEnvironmentAndLogsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	variables := orchestratorVariables()
	variables["TURNSTILE_TIMER_BORDR"] = "1m"
	opts := []Option{WithAWSConfig(aws.Config{Region: "eu-central-1"}), withOutput(&out)}
	o, err := NewOrchestrator(turnstile.NewApp(), environ(variables), opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := NewActivityFunction(turnstile.NewApp(), environ(variables), opts...); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "TURNSTILE_TIMER_BORDR") {
		t.Errorf("the log does not name the unknown variable:\n%s", out.String())
	}
	got, err := o.Handle(t.Context(), events.SQSEvent{})
	if err != nil || got.BatchItemFailures == nil {
		t.Errorf("an empty invocation is answered with %v, %v", got, err)
	}
}

func TestAnApplicationWithAMistakeDoesNotStart(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(nil)
	opts := []Option{WithAWSConfig(aws.Config{Region: "eu-central-1"}), withOutput(&bytes.Buffer{})}
	if _, err := NewOrchestrator(app, environ(orchestratorVariables()), opts...); err == nil {
		t.Error("the orchestrator starts")
	}
	if _, err := NewActivityFunction(app, environ(orchestratorVariables()), opts...); err == nil {
		t.Error("the worker starts")
	}
}

func TestSettingsFromTheEnvironmentGoBeforeThoseOfTheOption(t *testing.T) {
	t.Parallel()
	given := host.Settings{Dispatch: host.DispatchSettings{TimerBorder: time.Minute, TimerLeast: 3 * time.Minute}, Turn: host.TurnSettings{CommitAttempts: 7}, Limits: host.LimitSettings{Events: 5, Operations: 9}}
	got := orchestratorSettings(given, Config{TimerBorder: -1, MaxHistory: 300, MaxHistoryBytes: 400_000, MaxResult: 2000, RetentionDays: 2, KeepExecutions: 5})
	if got.Purge.Retention != 48*time.Hour {
		t.Errorf("instances are kept for %s", got.Purge.Retention)
	}
	if got.Dispatch.TimerBorder != -1 || got.Dispatch.TimerLeast != 3*time.Minute || got.Turn.CommitAttempts != 7 {
		t.Errorf("settings are %+v", got)
	}
	if got.Limits.Events != 300 || got.Limits.Bytes != 400_000 || got.Limits.Operations != 9 || got.Limits.Result != 2000 {
		t.Errorf("limits are %+v", got)
	}
	if got := workerSettings(given, Config{MaxResult: 2000}); got.Limits.Result != 2000 || got.Limits.Events != 5 {
		t.Errorf("the worker's are %+v", got)
	}
}

func TestAHistoryIsBoundedByWhatTheFunctionCanHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, memory, want int }{
		{0, 512, 50_000_000}, {0, 128, 32 << 20}, {200_000_000, 512, 128 << 20}, {200_000_000, 1024, 200_000_000}, {400_000, 128, 400_000},
		{200_000_000, 0, 200_000_000},
	} {
		if got := orchestratorSettings(host.Settings{}, Config{MaxHistoryBytes: c.asked, MemoryMB: c.memory}).Limits.Bytes; got != c.want {
			t.Errorf("asked for %d bytes with %d MB: %d, want %d", c.asked, c.memory, got, c.want)
		}
	}
}

func TestAFailedStartLogsAllProblemsInOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := activityConfig(nil)
	logStart(slog.New(slog.NewJSONHandler(&out, nil)), err)
	var line struct {
		Level, Msg string
		Problems   []string
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %v\n%s", err, out.String())
	}
	if line.Level != "ERROR" || len(line.Problems) != 4 || !strings.Contains(line.Msg, "activity function") {
		t.Errorf("line is %+v", line)
	}
}

func TestAClientSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	_, err := NewClient(t.Context(), WithAWSConfig(aws.Config{Region: "eu-central-1"}), WithConfig(Config{}))
	if err == nil {
		t.Error("a client without a queue is made")
	}
	e, err := orchestratorConfig(environ(orchestratorVariables()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewClient(t.Context(), WithAWSConfig(aws.Config{Region: "eu-central-1"}), WithConfig(e)); err != nil {
		t.Errorf("with everything there: %v", err)
	}
}

func TestAMessageThatReturnsNeedsAPersonAfterHalfAnHour(t *testing.T) {
	t.Parallel()
	s := host.DefaultSettings()
	var waited time.Duration
	for n, wait := 1, s.Messages.BackoffFirst; n < returnedOften; n, wait = n+1, 2*wait {
		waited += min(wait, s.Messages.BackoffMax)
	}
	if waited < 30*time.Minute || waited-s.Messages.BackoffMax >= 30*time.Minute {
		t.Errorf("receive %d comes after %v of waiting, want the first one after half an hour", returnedOften, waited)
	}
}

type noArchive struct{ store.Archive }

func TestTheOrchestratorUsesTheArchiveOfTheOption(t *testing.T) {
	t.Parallel()
	o, err := NewOrchestrator(turnstile.NewApp(), environ(orchestratorVariables()), WithAWSConfig(aws.Config{Region: "eu-central-1"}), WithArchive(noArchive{}))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if got := o.host.(*orchestrator.Orchestrator).Sweeper.Archive; got != (noArchive{}) {
		t.Errorf("the archive is %v", got)
	}
	if o.archive != nil {
		t.Error("an archive that is no bucket is looked for in S3")
	}
}

func TestTheOrchestratorArchivesInTheBucketOfItsVariable(t *testing.T) {
	t.Parallel()
	variables := orchestratorVariables()
	variables["TURNSTILE_ARCHIVE_BUCKET"], variables["TURNSTILE_ARCHIVE_PREFIX"] = "acme-archive", "prod/"
	o, err := NewOrchestrator(turnstile.NewApp(), environ(variables), WithAWSConfig(aws.Config{Region: "eu-central-1"}))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, is := o.host.(*orchestrator.Orchestrator).Sweeper.Archive.(*s3.Archive); !is {
		t.Errorf("the archive is %v", o.host.(*orchestrator.Orchestrator).Sweeper.Archive)
	}
	if o.archive == nil {
		t.Error("nobody looks whether the bucket is there")
	}
	_, err = NewOrchestrator(turnstile.NewApp(), environ(variables), WithAWSConfig(aws.Config{Region: "eu-central-1"}), WithArchive(noArchive{}))
	if err == nil || !strings.Contains(err.Error(), "TURNSTILE_ARCHIVE_BUCKET") {
		t.Errorf("two archives: %v", err)
	}
}
