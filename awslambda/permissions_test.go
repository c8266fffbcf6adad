package awslambda_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// grants are permissions as "action resource", such as
// "dynamodb:PutItem HistoryTable".
type grants map[string]bool

func (g grants) add(action, resource string) { g[action+" "+resource] = true }

// TestPoliciesGrantWhatTheCodeCallsAndNothingElse reads from the source which
// AWS calls each of the principals can make, and compares that with its policy
// in both directions.
func TestPoliciesGrantWhatTheCodeCallsAndNothingElse(t *testing.T) {
	t.Parallel()
	orchestrator := readSource(t, hostFolders(t, "worker"), "Orchestrator.Handle")
	worker := readSource(t, hostFolders(t, "orchestrator"), "Worker.Handle")
	tests := []struct {
		name, role string
		policies   string // path of the policy documents
		want       func(*testing.T) grants
	}{
		{"the orchestrator function", "OrchestratorRole", "Policies", func(t *testing.T) grants {
			g := grants{}
			calls := orchestrator.reach("Orchestrator.Handle", "Orchestrator.Close")
			ring := readSource(t, []string{"../internal/keyring"}).reach("Ring.Ready", "Ring.Learn")
			storeCalls(t, g, used(calls, "Store"), used(calls, "Stops"), used(ring, "Keys"))
			timerCalls(t, g, used(calls, "Timer"))
			sendCalls(t, g, calls, "orchestratorQueues")
			sourceCalls(g, calls, "OrchestratorQueue", "DelayQueue", "ActivityDeadQueue")
			functionCalls(g, "OrchestratorLogGroup")
			if len(used(orchestrator.reach("Bus.Publish"), "To")) > 0 {
				g.add("events:PutEvents", "EventBusArn")
			}
			for _, a := range []string{"Decrypt", "DescribeKey", "GenerateDataKey"} {
				g.add("kms:"+a, "KmsKeyArn via scheduler")
			}
			archiveCalls(t, g, used(calls, "Archive"))
			if len(used(readSource(t, []string{"."}).reach("archiveCheck.start"), "bucket")) > 0 {
				for _, f := range readSource(t, []string{"../internal/archive/s3"}).reach("Archive.Check") {
					for call := range f.inputs {
						g.add(granting["s3:"+call], "ArchiveBucket")
					}
				}
			}
			return g
		}},
		{"the activity function", "ActivityRole", "Policies", func(t *testing.T) grants {
			g := grants{}
			calls := worker.reach("Worker.Handle")
			storeCalls(t, g, nil, used(calls, "Stops"), nil)
			sendCalls(t, g, calls, "NewActivityFunction")
			sourceCalls(g, calls, "ActivityQueue")
			functionCalls(g, "ActivityLogGroup")
			return g
		}},
		{"the query function", "QueryRole", "Policies", func(t *testing.T) grants {
			g := grants{}
			storeCalls(t, g, used(readSource(t, []string{"../client"}).reach("Client.Query"), "Store"), nil, nil)
			g.add("kms:Decrypt", "KmsKeyArn via dynamodb")
			g.add("kms:DescribeKey", "KmsKeyArn via dynamodb")
			functionCalls(g, "QueryLogGroup")
			for _, writes := range []string{"Decrypt KmsKeyArn via sqs", "GenerateDataKey KmsKeyArn via sqs", "Encrypt KmsKeyArn via dynamodb", "GenerateDataKey* KmsKeyArn via dynamodb", "ReEncrypt* KmsKeyArn via dynamodb"} {
				delete(g, "kms:"+writes)
			}
			return g
		}},
		{"those who ask queries", "QueryPolicy", "", func(t *testing.T) grants {
			// The program of the caller invokes, too (WithQueries).
			g := grants{}
			commandCalls(t, g, asks)
			return g
		}},
		{"Scheduler", "SchedulerRole", "Policies", func(*testing.T) grants {
			// No code of ours: what a schedule's target and dead-letter
			// queue need.
			g := grants{}
			g.add("sqs:SendMessage", "OrchestratorQueue")
			g.add("sqs:SendMessage", "DelayQueue")
			g.add("sqs:SendMessage", "DeadQueue") // sweeps that were given up
			queueKey(g)
			g.add("kms:Decrypt", "KmsKeyArn via scheduler")
			return g
		}},
		{"services that start and raise events", "StartPolicy", "", func(t *testing.T) grants {
			g := grants{}
			g.add("sqs:SendMessage", "OrchestratorQueue")
			if len(used(readSource(t, []string{"../client"}).funcs, "Queue")) == 0 {
				t.Error("the client does not use its queue")
			}
			queueKey(g)
			return g
		}},
		{"those that watch", "WatchPolicy", "", clientReads},
		{"operators", "OperatePolicy", "", func(t *testing.T) grants {
			g := clientReads(t)
			queueKey(g)
			// The command line, which is a module of its own: dead letters are
			// looked at, sent back and deleted.
			for _, q := range []string{"OrchestratorQueue", "DelayQueue", "ActivityQueue", "ActivityDeadQueue"} {
				g.add("sqs:SendMessage", q)
			}
			for _, q := range []string{"DeadFifoQueue", "DeadQueue"} {
				g.add("sqs:ReceiveMessage", q)
				g.add("sqs:DeleteMessage", q)
				g.add("sqs:ChangeMessageVisibility", q)
			}
			commandCalls(t, g, operates)
			g.add("dynamodb:UpdateItem", "ActivitiesTable under 0#*#limit*")
			return g
		}},
		{"those who run the doctor", "DoctorPolicy", "", func(t *testing.T) grants {
			g := grants{}
			commandCalls(t, g, diagnoses)
			g.add("kms:Decrypt", "KmsKeyArn via lambda") // the functions' variables
			return g
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tpl := readTemplate(t)
			got, want := granted(t, tpl, tt.role, tt.policies), tt.want(t)
			for _, g := range slices.Sorted(maps.Keys(want)) {
				if !got[g] {
					t.Errorf("%s may not: %s", tt.role, g)
				}
			}
			for _, g := range slices.Sorted(maps.Keys(got)) {
				if !want[g] {
					t.Errorf("%s may, and nothing calls it: %s", tt.role, g)
				}
			}
		})
	}
}

// clientReads is what the methods of the client read.
func clientReads(t *testing.T) grants {
	g := grants{}
	storeCalls(t, g, used(readSource(t, []string{"../client"}).funcs, "Store"), used(readSource(t, []string{"../client"}).funcs, "Activities"), nil)
	g.add("kms:Decrypt", "KmsKeyArn via dynamodb")
	g.add("kms:DescribeKey", "KmsKeyArn via dynamodb")
	commandCalls(t, g, watches)
	g.add("kms:Decrypt", "KmsKeyArn via s3")
	return g
}

// Who makes a call of the command line.
type caller int

const (
	watches caller = iota
	operates
	diagnoses
	asks     // queries
	anybody  // needs no policy
	restores // has rights that no policy of the stack grants (docs/operations.md)
)

// commands are the calls of the command line, which is a module of its own, and their
// resources. A call that its code makes and that is missing here fails the test, and
// so does one that its code no longer makes.
var commands = map[string]struct {
	who       caller
	resources []string
}{
	"cloudformation:DescribeStacks":      {watches, []string{"the stack"}},
	"sqs:GetQueueAttributes":             {watches, []string{"OrchestratorQueue", "DelayQueue", "ActivityQueue", "ActivityDeadQueue", "DeadFifoQueue", "DeadQueue"}},
	"cloudwatch:GetMetricData":           {watches, []string{"*"}},
	"lambda:ListEventSourceMappings":     {watches, []string{"*"}},
	"lambda:GetEventSourceMapping":       {operates, []string{"event sources of OrchestratorFunction of ActivityFunction"}},
	"lambda:UpdateEventSourceMapping":    {operates, []string{"event sources of OrchestratorFunction of ActivityFunction"}},
	"lambda:GetFunctionConfiguration":    {diagnoses, []string{"OrchestratorFunction", "ActivityFunction", "QueryFunction"}},
	"lambda:GetFunctionRecursionConfig":  {diagnoses, []string{"OrchestratorFunction", "ActivityFunction", "QueryFunction"}},
	"lambda:Invoke":                      {asks, []string{"QueryFunction"}},
	"dynamodb:DescribeTable":             {diagnoses, []string{"HistoryTable", "InstancesTable", "ActivitiesTable"}},
	"dynamodb:DescribeTimeToLive":        {diagnoses, []string{"HistoryTable", "InstancesTable", "ActivitiesTable"}},
	"dynamodb:DescribeContinuousBackups": {diagnoses, []string{"HistoryTable", "InstancesTable", "ActivitiesTable"}},
	"s3:GetObject":                       {watches, []string{"ArchiveBucket under ArchivePrefix"}},
	"s3:HeadBucket":                      {diagnoses, []string{"ArchiveBucket"}},
	"sts:GetCallerIdentity":              {anybody, nil},
	"dynamodb:RestoreTableToPointInTime": {restores, nil},
	"dynamodb:CreateBackup":              {restores, nil},
	"dynamodb:ListBackups":               {restores, nil},
	"dynamodb:DeleteBackup":              {restores, nil},
	"dynamodb:RestoreTableFromBackup":    {restores, nil},
	"dynamodb:UpdateTable":               {restores, nil},
	"dynamodb:DeleteTable":               {restores, nil},
	"dynamodb:UpdateContinuousBackups":   {restores, nil},
	"dynamodb:UpdateTimeToLive":          {restores, nil},
	"sqs:PurgeQueue":                     {restores, nil},
}

// TestTheDocsListThePermissionsOfARestore holds what turnstile restore calls against its page and
// against what the command says of itself.
func TestTheDocsListThePermissionsOfARestore(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, file := range []string{"../docs/operations.md", "../cmd/turnstile/restore.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range readSource(t, []string{"../cmd/turnstile/internal/backend"}).funcs {
			for _, call := range f.calls {
				if _, action, _ := strings.Cut(call, ":"); f.receiver == "awsCloud" {
					calls++
					if !strings.Contains(string(text), action) {
						t.Errorf("%s calls %s, and %s does not say so", f.name, call, file)
					}
				}
			}
		}
	}
	if calls < 20 {
		t.Errorf("a restore makes %d calls: has its code been renamed?", calls)
	}
}

// granting are the permissions of calls that have another name than the call.
var granting = map[string]string{"s3:HeadBucket": "s3:ListBucket", "lambda:Invoke": "lambda:InvokeFunction"}

// commandCalls adds what the code of the command line calls, for those who watch,
// operate or run the doctor.
func commandCalls(t *testing.T, g grants, who caller) {
	t.Helper()
	called := map[string]bool{}
	for _, f := range readSource(t, []string{"../cmd/turnstile", "../cmd/turnstile/internal/backend"}).funcs {
		for _, call := range f.calls {
			called[call] = true
		}
	}
	for call := range called {
		if _, known := commands[call]; !known {
			t.Errorf("cmd/turnstile calls %s: say in commands who does, and let a policy grant it", call)
		}
	}
	for call, of := range commands {
		if !called[call] {
			t.Errorf("cmd/turnstile does not call %s any more", call)
		}
		for _, resource := range of.resources {
			if of.who == who {
				g.add(cmp.Or(granting[call], call), resource)
			}
		}
	}
}

// hostFolders are those of the packages of the host but for one, whose methods would
// be taken for others of their names.
func hostFolders(t *testing.T, but string) (all []string) {
	t.Helper()
	err := filepath.WalkDir("../internal/host", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && !slices.Contains([]string{"testdata", "host", but}, d.Name()) {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// storeCalls adds what the methods of store.Store, store.Activities and
// store.Keys call.
func storeCalls(t *testing.T, g grants, store, activities, keys []string) {
	t.Helper()
	src := readSource(t, []string{"../store/dynamo"})
	var roots []string
	for _, m := range store {
		roots = append(roots, "Store."+m)
	}
	for _, m := range activities {
		roots = append(roots, "Activities."+m)
	}
	for _, m := range keys {
		roots = append(roots, "Keys."+m)
	}
	if len(roots) == 0 {
		t.Fatal("nothing uses the store: has a field been renamed?")
	}
	reached := src.reach(roots...)
	// A call is where its input is put together with a table: functions that
	// take the input from others, or hand it on, name one of the two.
	var asked, found []string
	for _, f := range reached {
		asked = append(asked, slices.Collect(maps.Keys(f.inputs))...)
		tables := used([]*function{f}, "Tables")
		if len(tables) == 0 {
			continue
		}
		actions := slices.Collect(maps.Keys(f.inputs))
		for write, action := range map[string]string{"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"} {
			if f.writes[write] {
				actions = append(actions, action)
				// A transaction needs the permissions of what is in it, none
				// of its own.
				found = append(found, "TransactWriteItems")
			}
		}
		if f.writes["Get"] {
			actions, found = append(actions, "GetItem"), append(found, "TransactGetItems")
		}
		if len(tables) > 1 && len(actions) > 0 {
			t.Errorf("store/dynamo: %s makes %v on the tables %v; this test can only tell which it touches where it is one", f.name, actions, tables)
		}
		resource := tables[0] + "Table"
		if f.index {
			resource += "/index"
		}
		for _, a := range actions {
			found = append(found, a)
			if a != "TransactWriteItems" {
				g.add("dynamodb:"+a, resource)
			}
		}
	}
	for _, a := range asked {
		if !slices.Contains(found, a) {
			t.Errorf("store/dynamo: %s is called, and this test cannot tell on which table", a)
		}
	}
}

// timerCalls adds what the methods of timer.Timer call.
func timerCalls(t *testing.T, g grants, methods []string) {
	t.Helper()
	src := readSource(t, []string{"../internal/timer/scheduler"})
	var roots []string
	for _, m := range methods {
		roots = append(roots, "Timer."+m)
	}
	found := 0
	for _, f := range src.reach(roots...) {
		for call := range f.inputs {
			found++
			g.add("scheduler:"+call, "ScheduleGroup/schedules")
			if call == "CreateSchedule" {
				g.add("iam:PassRole", "SchedulerRole for scheduler.amazonaws.com")
			}
		}
	}
	if found == 0 {
		t.Error("internal/timer/scheduler calls nothing")
	}
}

// archiveCalls adds what the methods of store.Archive call.
func archiveCalls(t *testing.T, g grants, methods []string) {
	t.Helper()
	src := readSource(t, []string{"../internal/archive/s3"})
	for _, m := range methods {
		for _, f := range src.reach("Archive." + m) {
			for call := range f.inputs {
				g.add("s3:"+call, "ArchiveBucket under ArchivePrefix")
			}
		}
	}
	if !g["s3:PutObject ArchiveBucket under ArchivePrefix"] {
		t.Error("internal/archive/s3 puts nothing")
	}
	g.add("kms:Decrypt", "KmsKeyArn via s3")
	g.add("kms:GenerateDataKey", "KmsKeyArn via s3")
}

// sendCalls adds the queues to which calls may send: those of host.Queues that
// they name, as far as constructor, in this package, provides them.
func sendCalls(t *testing.T, g grants, calls []*function, constructor string) {
	t.Helper()
	if !slices.ContainsFunc(calls, func(f *function) bool { return f.called["Send"] }) {
		t.Error("nothing is sent")
	}
	mine := readSource(t, []string{"."}).reach(constructor)
	provided := append(used(mine, "queues"), used(mine, "q")...)
	resources := map[string]string{
		"Orchestrator": "OrchestratorQueue", "Delay": "DelayQueue", "Activity": "ActivityQueue",
		"ActivityDead": "ActivityDeadQueue", "DeadFIFO": "DeadFifoQueue", "DeadStandard": "DeadQueue",
	}
	var named []string
	for _, f := range calls {
		// Queues.of leads from a message to where it came from, for its
		// visibility; nothing is sent there.
		switch {
		case f.receiver == "Queues" && f.name == "OfAttempts":
			named = append(named, used([]*function{f}, "q")...)
		case f.receiver != "Queues":
			named = append(named, used([]*function{f}, "Queues")...)
		}
	}
	for queue, resource := range resources {
		if slices.Contains(named, queue) && slices.Contains(provided, queue) {
			g.add("sqs:SendMessage", resource)
		}
	}
}

// sourceCalls adds what the event sources need: Lambda polls with the
// function's role, and the host sets the visibility of what it hands back.
func sourceCalls(g grants, calls []*function, queues ...string) {
	for _, q := range queues {
		g.add("sqs:ReceiveMessage", q)
		g.add("sqs:DeleteMessage", q)
		g.add("sqs:GetQueueAttributes", q)
		if slices.ContainsFunc(calls, func(f *function) bool { return f.called["SetVisibility"] }) {
			g.add("sqs:ChangeMessageVisibility", q)
		}
	}
}

// functionCalls adds what Lambda and the encrypting services do with a
// function's role.
func functionCalls(g grants, logs string) {
	g.add("logs:CreateLogStream", logs)
	g.add("logs:PutLogEvents", logs)
	for _, a := range []string{"CreateNetworkInterface", "DescribeNetworkInterfaces", "DescribeSubnets", "DeleteNetworkInterface",
		"AssignPrivateIpAddresses", "UnassignPrivateIpAddresses"} {
		g.add("ec2:"+a, "*")
	}
	queueKey(g)
	for _, a := range []string{"Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey*", "ReEncrypt*"} {
		g.add("kms:"+a, "KmsKeyArn via dynamodb")
	}
	g.add("kms:Decrypt", "KmsKeyArn via lambda")
}

func queueKey(g grants) {
	g.add("kms:Decrypt", "KmsKeyArn via sqs")
	g.add("kms:GenerateDataKey", "KmsKeyArn via sqs")
}

// granted lists what a role or managed policy allows, conditional statements
// included. Grants for a customer key or a VPC must be conditional on it.
func granted(t *testing.T, tpl template, resource, path string) grants {
	t.Helper()
	g := grants{}
	var documents []any
	if path == "" {
		documents = []any{tpl.property(resource, "PolicyDocument")}
	} else {
		for _, p := range list(tpl.property(resource, path)) {
			condition, p := conditional(t, p)
			for _, s := range list(p["PolicyDocument"].(map[string]any)["Statement"]) {
				g.allow(t, condition, s)
			}
		}
	}
	for _, d := range documents {
		for _, s := range list(d.(map[string]any)["Statement"]) {
			g.allow(t, "", s)
		}
	}
	if tpl.property(resource, "ManagedPolicyArns") != "" {
		t.Errorf("%s has managed policies, which this test cannot look into", resource)
	}
	return g
}

// conditional takes {"Fn::If": [condition, value, NoValue]} apart.
func conditional(t *testing.T, v any) (condition string, value map[string]any) {
	t.Helper()
	m := v.(map[string]any)
	parts, ok := m["Fn::If"].([]any)
	if !ok {
		return "", m
	}
	if fmt.Sprint(parts[2]) != fmt.Sprint(noValue()) {
		t.Errorf("under another condition than %v, %v is granted", parts[0], parts[2])
	}
	return parts[0].(string), parts[1].(map[string]any)
}

func (g grants) allow(t *testing.T, condition string, statement any) {
	t.Helper()
	c, s := conditional(t, statement)
	if c != "" {
		condition = c
	}
	if s["Effect"] != "Allow" {
		t.Errorf("statement %v: Effect is %v", s["Sid"], s["Effect"])
	}
	suffix := ""
	if service, ok := follow(s, []string{"Condition", "StringEquals", "kms:ViaService"}); ok {
		name, _, _ := strings.Cut(service.(map[string]any)["Fn::Sub"].(string), ".")
		suffix = " via " + name
	}
	if service, ok := follow(s, []string{"Condition", "StringEquals", "iam:PassedToService"}); ok {
		suffix = " for " + service.(string)
	}
	if functions, ok := follow(s, []string{"Condition", "ArnEquals", "lambda:FunctionArn"}); ok {
		for _, f := range list(functions) {
			suffix += " of " + resourceName(t, f)
		}
	}
	if keys, ok := follow(s, []string{"Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"}); ok {
		suffix = " under " + keys.(string)
	}
	if s["Condition"] != nil && suffix == "" {
		t.Errorf("statement %v has a condition that this test does not know: %v", s["Sid"], s["Condition"])
	}
	for _, a := range list(s["Action"]) {
		action := a.(string)
		need := map[string]string{"kms": "HasKmsKey", "ec2": "HasVpc", "s3": "HasArchive", "events": "HasEventBus"}[strings.Split(action, ":")[0]]
		if suffix == " via s3" {
			need = "HasArchiveKey"
		}
		if condition != need {
			t.Errorf("%s is granted under condition %q, want %q", action, condition, need)
		}
		for _, r := range list(s["Resource"]) {
			g.add(action, resourceName(t, r)+suffix)
		}
	}
}

func resourceName(t *testing.T, r any) string {
	t.Helper()
	if s, ok := r.(string); ok {
		return s
	}
	m := r.(map[string]any)
	if parts, ok := m["Fn::If"].([]any); ok && parts[0] == "HasArchivePrefix" {
		const bucket = "arn:${AWS::Partition}:s3:::${ArchiveBucket}/"
		for i, prefix := range []string{"${ArchivePrefix}*", "${AWS::StackName}/*"} {
			if got := parts[i+1].(map[string]any)["Fn::Sub"]; got != bucket+prefix {
				t.Errorf("objects are %v, want %s", got, bucket+prefix)
			}
		}
		return "ArchiveBucket under ArchivePrefix"
	}
	switch {
	case m["Ref"] != nil:
		return m["Ref"].(string)
	case m["Fn::GetAtt"] != nil:
		name, attribute, _ := strings.Cut(m["Fn::GetAtt"].(string), ".")
		if attribute != "Arn" {
			t.Errorf("resource %v is not an ARN", r)
		}
		return name
	}
	switch m["Fn::Sub"] {
	case "${InstancesTable.Arn}/index/*":
		return "InstancesTable/index"
	case "arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/${ScheduleGroup}/*":
		return "ScheduleGroup/schedules"
	case "arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/${AWS::StackName}/*":
		return "the stack"
	case "arn:${AWS::Partition}:s3:::${ArchiveBucket}":
		return "ArchiveBucket"
	case "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:event-source-mapping:*":
		return "event sources"
	}
	t.Errorf("resource %v is none that this test knows", r)
	return ""
}
