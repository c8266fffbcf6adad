package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/acts"
)

// restorable is a stack on an AWS that refuses what AWS refuses, takes its time as AWS does, and
// notes what a restore must not do. It ends the command at one of its calls.
type restorable struct {
	mu      sync.Mutex
	now     time.Time
	outputs map[string]string
	tables  map[string]*restorableTable
	backups map[string]*restorableBackup
	sources []*restorableSource
	emptied map[string]int
	woken   int
	// changes are those that were asked for, in order.
	changes []string
	wrong   []string
	// unready is how often point-in-time recovery is refused for a new table.
	unready int

	// The command is interrupted at its nth change, after or before that takes effect, or in
	// its nth pause; 0 for never.
	atChange, atPause int
	before            bool
	interrupt         func()
	// pauses is how often it has paused; inPause is called in each, if it is not nil.
	pauses  int
	inPause func(n int)
}

// restorableTable is a table with the content of now or then.
type restorableTable struct {
	content, status, from string
	protected, pitr, ttl  bool
	later                 int // looks until it is what it becomes
	untilRecoverable      int
}

type restorableBackup struct {
	table, name, content string
	later                int
}

type restorableSource struct {
	id, function, queue, state string
	changed                    time.Time
}

var restoredTables = []string{"t-HistoryTable", "t-InstancesTable", "t-ActivitiesTable"}

// expiring reports whether a table has a time to live.
func expiring(table string) bool { return table != "t-InstancesTable" }

const restoredTo = "2030-01-01T03:00:00Z"

func newRestorable() *restorable {
	s := &restorable{now: epoch, outputs: complete(), tables: map[string]*restorableTable{}, backups: map[string]*restorableBackup{}, emptied: map[string]int{}, unready: 2}
	s.outputs["ActivityQueues"] = "gpu=https://sqs.eu-central-1.amazonaws.com/123456789012/gpu"
	s.outputs["ActivityFunctions"] = "gpu=t-gpu"
	for _, name := range restoredTables {
		s.tables[name] = &restorableTable{content: "now", status: "ACTIVE", protected: true, pitr: true, ttl: expiring(name)}
	}
	orchestrator, activity := "t-"+address.OrchestratorFunction.Output, "t-"+address.ActivityFunction.Output
	for _, source := range [][2]string{{orchestrator, "OrchestratorQueueUrl.fifo"}, {orchestrator, "DelayQueueUrl"}, {orchestrator, "ActivityDeadQueueUrl"}, {activity, "ActivityQueueUrl"}, {"t-gpu", "gpu"}} {
		s.sources = append(s.sources, &restorableSource{id: "id-" + source[1], function: source[0], queue: source[1], state: "Enabled", changed: epoch.Add(-48 * time.Hour)})
	}
	return s
}

// restoredQueues are those that are emptied: all but the final dead-letter queues.
var restoredQueues = []string{"ActivityDeadQueueUrl", "ActivityQueueUrl", "DelayQueueUrl", "OrchestratorQueueUrl.fifo", "gpu"}

func (s *restorable) fault(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// off reports whether no event source is on, and on whether all are.
func (s *restorable) off() bool {
	return !slices.ContainsFunc(s.sources, func(e *restorableSource) bool { return e.state != "Disabled" })
}

func (s *restorable) on() bool {
	return !slices.ContainsFunc(s.sources, func(e *restorableSource) bool { return e.state != "Enabled" })
}

// change makes a change, unless the command is interrupted before it.
func (s *restorable) change(what string, do func() error) error {
	s.changes = append(s.changes, what)
	if s.atChange--; s.atChange == 0 {
		defer s.interrupt()
		if s.before {
			return nil
		}
	}
	return do()
}

// refused is an error of AWS.
type refused string

func (r refused) Error() string { return string(r) }

func (s *restorable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	target := r.Header.Get("X-Amz-Target")
	service, operation, _ := strings.Cut(target, ".")
	if target == "" && !strings.HasPrefix(r.URL.Path, "/20") {
		(&cloud{outputs: s.outputs}).ServeHTTP(w, httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), bytes.NewReader(body)))
		return
	}
	var answer any
	var err error
	switch service {
	case "DynamoDB_20120810":
		answer, err = s.dynamo(operation, body)
	case "AmazonSQS":
		var in struct{ QueueUrl string }
		_ = json.Unmarshal(body, &in)
		answer, err = map[string]any{}, s.purge(operation, in.QueueUrl[strings.LastIndex(in.QueueUrl, "/")+1:])
	default:
		answer, err = s.lambda(r, body)
	}
	if err != nil {
		answer = map[string]string{"__type": "com.amazonaws#" + err.Error(), "message": "refused: " + operation}
	}
	text, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(text)))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = w.Write(text)
}

func (s *restorable) lambda(r *http.Request, body []byte) (any, error) {
	id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	var found []map[string]any
	for _, e := range s.sources {
		if id != e.id && (id != "" && !strings.HasSuffix(r.URL.Path, "/event-source-mappings") || r.URL.Query().Get("FunctionName") != e.function) {
			continue
		}
		if r.Method == http.MethodPut {
			var in struct{ Enabled bool }
			if err := json.Unmarshal(body, &in); err != nil {
				return nil, err
			}
			if err := s.change(fmt.Sprintf("source %s %v", e.queue, in.Enabled), func() error {
				e.state, e.changed = map[bool]string{true: "Enabling", false: "Disabling"}[in.Enabled], s.now
				for _, name := range restoredTables {
					if t := s.tables[name]; in.Enabled && (t == nil || t.content != "then" || t.status == "CREATING" || !t.protected || !t.pitr || expiring(name) && !t.ttl) {
						s.fault("%s is turned on while table %s is %+v", e.queue, name, t)
					}
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
		found = append(found, map[string]any{"UUID": e.id, "EventSourceArn": "arn:aws:sqs:eu-central-1:123456789012:" + e.queue, "FunctionArn": e.function, "State": e.state, "LastModified": e.changed.Unix()})
		if settled := map[string]string{"Enabling": "Enabled", "Disabling": "Disabled"}[e.state]; settled != "" && r.Method == http.MethodGet {
			e.state = settled
		}
	}
	if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/event-source-mappings") {
		return map[string]any{"EventSourceMappings": found}, nil
	}
	if len(found) != 1 {
		return nil, refused("ResourceNotFoundException")
	}
	return found[0], nil
}

func (s *restorable) purge(operation, queue string) error {
	if operation != "PurgeQueue" {
		return refused("InvalidAction")
	}
	return s.change("purge "+queue, func() error {
		for _, e := range s.sources {
			if e.state != "Disabled" || s.now.Sub(e.changed) < 15*time.Minute {
				s.fault("queue %s is emptied while %s is %s since %s", queue, e.queue, e.state, s.now.Sub(e.changed))
			}
		}
		for name, t := range s.tables {
			if slices.Contains(restoredTables, name) && t.content == "then" {
				s.fault("queue %s is emptied though %s is restored", queue, name)
			}
		}
		s.emptied[queue]++
		return nil
	})
}

// dynamo answers for DynamoDB.
func (s *restorable) dynamo(operation string, body []byte) (any, error) {
	var in struct {
		TableName, SourceTableName, TargetTableName, BackupName, BackupArn string
		DeletionProtectionEnabled                                          *bool
		RestoreDateTime                                                    float64
		PointInTimeRecoverySpecification                                   struct{ PointInTimeRecoveryEnabled bool }
		TimeToLiveSpecification                                            struct {
			AttributeName string
			Enabled       bool
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	t := s.tables[in.TableName]
	switch operation {
	case "ListBackups":
		summaries := []map[string]any{}
		for arn, b := range s.backups {
			if b.table == in.TableName {
				summaries = append(summaries, map[string]any{"BackupArn": arn, "BackupName": b.name, "BackupStatus": map[bool]string{true: "AVAILABLE", false: "CREATING"}[b.later <= 0]})
				b.later--
			}
		}
		return map[string]any{"BackupSummaries": summaries}, nil
	case "RestoreTableToPointInTime":
		source := s.tables[in.SourceTableName]
		switch {
		case source == nil || !source.pitr || source.status != "ACTIVE":
			return nil, refused("PointInTimeRecoveryUnavailableException")
		case s.tables[in.TargetTableName] != nil:
			return nil, refused("TableAlreadyExistsException")
		case time.Unix(int64(in.RestoreDateTime), 0).UTC().Format(time.RFC3339) != restoredTo:
			s.fault("%s is restored to %v", in.SourceTableName, in.RestoreDateTime)
		}
		return map[string]any{}, s.change("restore "+in.SourceTableName, func() error {
			s.tables[in.TargetTableName] = &restorableTable{content: "then", status: "CREATING", from: in.SourceTableName, later: 2}
			return nil
		})
	case "RestoreTableFromBackup":
		b := s.backups[in.BackupArn]
		switch {
		case b == nil:
			return nil, refused("BackupNotFoundException")
		case b.later > 0:
			return nil, refused("BackupInUseException")
		case s.tables[in.TargetTableName] != nil:
			return nil, refused("TableAlreadyExistsException")
		}
		return map[string]any{}, s.change("restore backup "+in.TargetTableName, func() error {
			s.tables[in.TargetTableName] = &restorableTable{content: b.content, status: "CREATING", from: b.table, later: 2, untilRecoverable: s.unready}
			return nil
		})
	case "DeleteBackup":
		if s.backups[in.BackupArn] == nil {
			return nil, refused("BackupNotFoundException")
		}
		return map[string]any{}, s.change("delete backup", func() error { delete(s.backups, in.BackupArn); return nil })
	}
	if t == nil {
		return nil, refused("ResourceNotFoundException")
	}
	switch operation {
	case "DescribeTable":
		table := map[string]any{"TableName": in.TableName, "TableStatus": t.status, "DeletionProtectionEnabled": t.protected}
		if t.from != "" {
			table["RestoreSummary"] = map[string]any{"SourceTableArn": "arn:aws:dynamodb:eu-central-1:123456789012:table/" + t.from, "RestoreInProgress": t.status == "CREATING", "RestoreDateTime": 1}
		}
		if t.later--; t.later <= 0 {
			switch t.status {
			case "DELETING":
				delete(s.tables, in.TableName)
			default:
				t.status = "ACTIVE"
			}
		}
		return map[string]any{"Table": table}, nil
	case "DescribeContinuousBackups":
		d := map[string]any{"ContinuousBackupsStatus": "ENABLED"}
		if t.pitr {
			d["PointInTimeRecoveryDescription"] = map[string]any{"PointInTimeRecoveryStatus": "ENABLED", "EarliestRestorableDateTime": epoch.Add(-35 * 24 * time.Hour).Unix(), "LatestRestorableDateTime": s.now.Add(-5 * time.Minute).Unix()}
		}
		return map[string]any{"ContinuousBackupsDescription": d}, nil
	case "DescribeTimeToLive":
		return map[string]any{"TimeToLiveDescription": map[string]any{"TimeToLiveStatus": map[bool]string{true: "ENABLED", false: "DISABLED"}[t.ttl]}}, nil
	}
	if t.status != "ACTIVE" {
		return nil, refused("ResourceInUseException")
	}
	switch operation {
	case "CreateBackup":
		if slices.ContainsFunc(restoredTables, func(name string) bool { return name == in.TableName }) || t.content != "then" {
			s.fault("a backup is made of %s, %+v", in.TableName, t)
		}
		return map[string]any{}, s.change("backup "+in.TableName, func() error {
			s.backups[fmt.Sprintf("arn:backup/%d", len(s.changes))] = &restorableBackup{table: in.TableName, name: in.BackupName, content: t.content, later: 2}
			return nil
		})
	case "UpdateTable":
		return map[string]any{}, s.change(fmt.Sprintf("protect %s %v", in.TableName, *in.DeletionProtectionEnabled), func() error {
			t.protected, t.status, t.later = *in.DeletionProtectionEnabled, "UPDATING", 1
			return nil
		})
	case "UpdateContinuousBackups":
		if t.untilRecoverable--; t.untilRecoverable >= 0 {
			return nil, refused("ContinuousBackupsUnavailableException")
		}
		return map[string]any{}, s.change("pitr "+in.TableName, func() error { t.pitr = in.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled; return nil })
	case "UpdateTimeToLive":
		if t.ttl {
			return nil, refused("ValidationException")
		}
		return map[string]any{}, s.change("ttl "+in.TableName, func() error {
			t.ttl = in.TimeToLiveSpecification.Enabled && in.TimeToLiveSpecification.AttributeName == "expires_at"
			return nil
		})
	case "DeleteTable":
		if t.protected {
			return nil, refused("ValidationException")
		}
		return map[string]any{}, s.change("delete "+in.TableName, func() error {
			s.deletes(in.TableName, t)
			t.status, t.later = "DELETING", 2
			return nil
		})
	}
	return nil, refused("UnknownOperationException")
}

// deletes looks whether a table may be deleted.
func (s *restorable) deletes(name string, t *restorableTable) {
	if !slices.Contains(restoredTables, name) {
		if s.woken == 0 {
			s.fault("%s is deleted before the restore is complete", name)
		}
		return
	}
	kept := 0
	for _, b := range s.backups {
		if b.content == "then" && b.later <= 0 {
			kept++
		}
	}
	if t.content != "now" || !s.off() || kept != len(restoredTables) || len(s.emptied) != len(restoredQueues) {
		s.fault("table %s, %+v, is deleted with %d backups, paused %v, and %d queues emptied", name, t, kept, s.off(), len(s.emptied))
	}
}

// awake are the instances of the stack.
type awake struct {
	backend.Instances
	s *restorable
}

func (a awake) List(_ context.Context, q client.ListQuery) (client.ListPage, error) {
	var page client.ListPage
	switch q.Status {
	case client.StatusRunning, client.StatusSuspended:
		page.Instances = append(page.Instances, client.Description{Instance: string(q.Status)})
	}
	return page, nil
}

func (a awake) Act(context.Context, acts.Any, string, any, any) error {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	return a.s.change("wake", func() error {
		if !a.s.on() {
			a.s.fault("an instance is woken while the stack is paused")
		}
		a.s.woken++
		return nil
	})
}

type restorableBackend struct {
	backend.AWS
	s *restorable
}

func (b restorableBackend) Instances(context.Context) (backend.Instances, error) {
	return awake{s: b.s}, nil
}

// run runs the command, and interrupts it where that was asked for.
func (s *restorable) run(t *testing.T, args ...string) result {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.interrupt = cancel
	folder := t.TempDir()
	var transports []*http.Transport
	over := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { transports = append(transports, t) })
	defer func() {
		for _, t := range transports {
			t.CloseIdleConnections()
		}
	}()
	var out, errs bytes.Buffer
	line := cli{
		in: strings.NewReader(""), out: &out, err: &errs,
		now: func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return s.now },
		getenv: func(name string) string {
			return map[string]string{"TURNSTILE_BATCHES": folder}[name]
		},
		pause: func(ctx context.Context, d time.Duration) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.now = s.now.Add(d)
			if s.pauses++; s.inPause != nil {
				s.inPause(s.pauses)
			}
			if s.atPause--; s.atPause == 0 {
				cancel()
			}
			return ctx.Err() == nil
		},
		open: func(settings *backend.Settings) backend.Backend {
			return restorableBackend{backend.NewAWS(settings,
				config.WithBaseEndpoint(server.URL), config.WithHTTPClient(over),
				config.WithRegion("eu-central-1"), config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}),
				config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
				config.WithCredentialsProvider(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
				})),
			), s}
		},
	}
	status := line.run(ctx, args)
	return result{status, out.String(), errs.String()}
}

// restores runs the restore, and restored looks at what it came to.
func (s *restorable) restores(t *testing.T) result {
	t.Helper()
	return s.run(t, "restore", "--stack", "turnstile-dev", "--to", restoredTo, "--yes", "turnstile-dev")
}

func (s *restorable) restored(t *testing.T) {
	t.Helper()
	for _, wrong := range s.wrong {
		t.Errorf("%s", wrong)
	}
	for _, name := range restoredTables {
		table := s.tables[name]
		if table == nil || table.content != "then" || table.status != "ACTIVE" || !table.protected || !table.pitr || table.ttl != expiring(name) {
			t.Errorf("table %s is %+v", name, table)
		}
	}
	if len(s.tables) != len(restoredTables) || len(s.backups) != 0 || !s.on() || s.woken < 2 {
		t.Errorf("it leaves %d tables and %d backups, the stack is on: %v, %d instances were woken", len(s.tables), len(s.backups), s.on(), s.woken)
	}
	var emptied []string
	for queue := range s.emptied {
		emptied = append(emptied, queue)
	}
	if slices.Sort(emptied); !slices.Equal(emptied, restoredQueues) {
		t.Errorf("emptied are %v, want %v", emptied, restoredQueues)
	}
}

func TestARestoreSetsTheTablesBack(t *testing.T) {
	t.Parallel()
	s := newRestorable()
	r := s.restores(t)
	if r.status != exitOK {
		t.Fatalf("%s", r)
	}
	s.restored(t)
	golden(t, "restore.txt", r.err)
	changes := len(s.changes)
	if r := s.restores(t); r.status != exitOK || !strings.Contains(r.err, "nothing to do") || len(s.changes) != changes {
		t.Errorf("once more it says %s, and makes %v", r, s.changes[changes:])
	}
}

func TestWithoutYesARestoreSaysWhatItWouldDo(t *testing.T) {
	t.Parallel()
	s := newRestorable()
	r := s.run(t, "restore", "--stack", "turnstile-dev", "--to", restoredTo)
	if r.status != exitOK || len(s.changes) > 0 {
		t.Errorf("%s\nit changed %v", r, s.changes)
	}
	golden(t, "restore_plan.txt", r.out)
}

// Wherever it is interrupted, the command continues when it is run again, and does nothing
// twice that would lose something.
func TestAnInterruptedRestoreContinues(t *testing.T) {
	t.Parallel()
	whole := newRestorable()
	if r := whole.restores(t); r.status != exitOK {
		t.Fatalf("%s", r)
	}
	for n := 1; n <= len(whole.changes); n++ {
		t.Run(fmt.Sprintf("%d %s", n, whole.changes[n-1]), func(t *testing.T) {
			t.Parallel()
			s := newRestorable()
			s.atChange = n
			if r := s.restores(t); r.status != exitInterrupted && n < len(whole.changes) {
				t.Errorf("interrupted, it says %s", r)
			}
			if r := s.restores(t); r.status != exitOK {
				t.Fatalf("run again, it says %s", r)
			}
			s.restored(t)
		})
	}
}

func TestARestoreThatIsInterruptedOftenContinues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s, random := newRestorable(), rand.New(rand.NewPCG(seed, 0))
			for range 4 {
				s.atChange, s.atPause, s.before = random.IntN(46), random.IntN(150), random.IntN(2) == 0
				s.restores(t)
			}
			s.atChange, s.atPause = 0, 0
			if r := s.restores(t); r.status != exitOK {
				t.Fatalf("%s", r)
			}
			s.restored(t)
		})
	}
}

func TestARestoreIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		does func(s *restorable)
		says string
	}{
		{"no time", []string{"--stack", "turnstile-dev"}, nil, "restore needs --to TIME"},
		{"a time that is not the same each time", []string{"--stack", "turnstile-dev", "--to", "2h"}, nil, "a time in whole seconds like"},
		{"half a second", []string{"--stack", "turnstile-dev", "--to", "2030-01-01T03:00:00.5Z"}, nil, "a time in whole seconds like"},
		{"another stack", []string{"--stack", "turnstile-dev", "--to", restoredTo, "--yes", "shop"}, nil, "--yes shop, but the stack is turnstile-dev"},
		{"no stack", []string{"--to", restoredTo}, nil, "restore needs --stack NAME"},
		{"too early", []string{"--stack", "turnstile-dev", "--to", "2029-01-01T03:00:00Z", "--yes", "turnstile-dev"}, nil, "can be restored to a time from 2029-11-27T12:00:00Z to 2030-01-01T11:55:00Z, but not to 2029-01-01T03:00:00Z"},
		{"too late", []string{"--stack", "turnstile-dev", "--to", "2030-01-01T11:56:00Z", "--yes", "turnstile-dev"}, nil, "but not to 2030-01-01T11:56:00Z"},
		{"no recovery", []string{"--stack", "turnstile-dev", "--to", restoredTo, "--yes", "turnstile-dev"}, func(s *restorable) { s.tables["t-InstancesTable"].pitr = false }, "table t-InstancesTable has no point-in-time recovery"},
		{"no table", []string{"--stack", "turnstile-dev", "--to", restoredTo, "--yes", "turnstile-dev"}, func(s *restorable) { delete(s.tables, "t-HistoryTable") }, "table t-HistoryTable does not exist, and there is no copy of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRestorable()
			if c.does != nil {
				c.does(s)
			}
			if r := s.run(t, append([]string{"restore"}, c.args...)...); r.status == exitOK || !strings.Contains(r.err, c.says) || len(s.changes) > 0 {
				t.Errorf("it says %s, and changes %v; want %q", r, s.changes, c.says)
			}
		})
	}
}

// Nothing is deleted if an event source is turned on while the tables are restored. The next
// run turns it off, and waits again.
func TestARestoreStopsIfTheStackIsTurnedOn(t *testing.T) {
	t.Parallel()
	s := newRestorable()
	s.inPause = func(n int) {
		if n == 20 {
			s.sources[4].state = "Enabled"
		}
	}
	if r := s.restores(t); r.status != exitFailed || !strings.Contains(r.err, "an event source was turned on during the restore") || len(s.emptied) > 0 {
		t.Fatalf("%s; emptied are %v", r, s.emptied)
	}
	s.inPause = nil
	if r := s.restores(t); r.status != exitOK {
		t.Fatalf("%s", r)
	}
	s.restored(t)
}
