package awslambda_test

import (
	"fmt"
	"slices"
	"testing"
)

// What neither `sam validate --lint` nor LocalStack checks.

func TestNeitherFunctionIsStoppedAsALoop(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	if got := tpl.at("Globals", "Function", "RecursiveLoop"); got != "Allow" {
		t.Errorf("RecursiveLoop is %v: Lambda would stop every chain after about 16 hops", got)
	}
	for _, f := range tpl.ofType("AWS::Serverless::Function") {
		if own := tpl.property(f, "RecursiveLoop"); own != "" {
			t.Errorf("%s overrides RecursiveLoop with %v", f, own)
		}
	}
}

func TestEveryEventSourceHasPartialResponsesAndABound(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	tests := []struct {
		function, event, queue string
		batch, concurrency     any
	}{
		{"OrchestratorFunction", "Orchestrator", "OrchestratorQueue", 10, ref("OrchestratorConcurrency")},
		{"OrchestratorFunction", "Delay", "DelayQueue", 10, ref("DelayConcurrency")},
		{"OrchestratorFunction", "ActivityDead", "ActivityDeadQueue", 10, 2},
		{"ActivityFunction", "Activity", "ActivityQueue", ref("ActivityBatchSize"), ref("ActivityConcurrency")},
	}
	sources := 0
	for _, f := range tpl.ofType("AWS::Serverless::Function") {
		events, _ := tpl.property(f, "Events").(map[string]any)
		sources += len(events)
		for _, forbidden := range []string{"ReservedConcurrentExecutions", "AutoPublishAlias", "Policies"} {
			if got := tpl.property(f, forbidden); got != "" {
				t.Errorf("%s has %s: %v", f, forbidden, got)
			}
		}
	}
	if sources != len(tests) {
		t.Errorf("there are %d event sources, %d are checked here", sources, len(tests))
	}
	for _, tt := range tests {
		p := "Events." + tt.event + ".Properties."
		tpl.want(tt.function, "Events."+tt.event+".Type", "SQS")
		tpl.want(tt.function, p+"Queue", arnOf(tt.queue))
		tpl.want(tt.function, p+"BatchSize", tt.batch)
		tpl.want(tt.function, p+"FunctionResponseTypes", []any{"ReportBatchItemFailures"})
		tpl.want(tt.function, p+"ScalingConfig.MaximumConcurrency", tt.concurrency)
	}
	for _, p := range []string{"OrchestratorConcurrency", "DelayConcurrency", "ActivityConcurrency"} {
		// The bounds of AWS.
		if low, high := tpl.at("Parameters", p, "MinValue"), tpl.at("Parameters", p, "MaxValue"); low != 2 || high != 1000 {
			t.Errorf("%s goes from %v to %v, want 2 to 1000", p, low, high)
		}
	}
}

// A new account may run 10 invocations at once, all functions together, and
// raises that by itself or on request. More than that would be throttled.
func TestDefaultConcurrenciesTogetherAreWhatANewAccountMayRun(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	const newAccount, least = 10, 2
	sum := 0
	for _, source := range tpl.eventSources() {
		n, ok := tpl.resolve(source["ScalingConfig"].(map[string]any)["MaximumConcurrency"]).(int)
		if !ok || n < least {
			t.Errorf("the event source of %v has the maximum concurrency %v; Lambda takes no less than %d", source["Queue"], n, least)
		}
		sum += n
	}
	if sum > newAccount {
		t.Errorf("all event sources together start %d invocations at once, a new account has %d", sum, newAccount)
	}
}

func TestTheOrchestratorQueueIsFIFOInHighThroughputMode(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for _, q := range []string{"OrchestratorQueue", "DeadFifoQueue"} {
		tpl.want(q, "FifoQueue", true)
		tpl.want(q, "ContentBasedDeduplication", true)
		tpl.want(q, "DeduplicationScope", "messageGroup")
		tpl.want(q, "FifoThroughputLimit", "perMessageGroupId")
	}
	for _, q := range []string{"DelayQueue", "ActivityQueue", "ActivityDeadQueue", "DeadQueue"} {
		tpl.want(q, "FifoQueue", "")
	}
	// A delay of the queue itself would hold up every message.
	for _, q := range tpl.ofType("AWS::SQS::Queue") {
		tpl.want(q, "DelaySeconds", "")
	}
}

func TestVisibilityIsLongerThanTheFunctionMayRun(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	orchestrator, activity := tpl.number("OrchestratorFunction", "Timeout"), tpl.number("ActivityFunction", "Timeout")
	if orchestrator != 60 || activity != 900 {
		t.Errorf("timeouts are %d and %d, want 60 and 900", orchestrator, activity)
	}
	for _, q := range []string{"OrchestratorQueue", "DelayQueue", "ActivityDeadQueue"} {
		if v := tpl.number(q, "VisibilityTimeout"); v < 2*orchestrator {
			t.Errorf("visibility of %s is %d s, want twice the function's %d s", q, v, orchestrator)
		}
	}
	if v := tpl.number("ActivityQueue", "VisibilityTimeout"); v < activity+60 {
		t.Errorf("visibility of ActivityQueue is %d s, want a minute more than the function's %d s", v, activity)
	}
}

// A look at all dead letters ends where it receives only what it has: that must not come again
// while others have not been seen.
func TestALookAtDeadLettersHasFiveMinutes(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for _, q := range []string{"DeadFifoQueue", "DeadQueue"} {
		tpl.want(q, "VisibilityTimeout", 300)
	}
}

func TestDeadLettersGoWhereTheDesignSays(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	const fourteenDays = 14 * 86400 // the longest that SQS keeps a message
	tests := []struct {
		queue, dead string
		receives    any
		retention   int
	}{
		{"OrchestratorQueue", "DeadFifoQueue", 1000, fourteenDays},
		{"DelayQueue", "DeadQueue", 1000, fourteenDays},
		{"ActivityQueue", "ActivityDeadQueue", 1000, fourteenDays},
		// Its messages keep the age that they had in the activity queue.
		{"ActivityDeadQueue", "DeadQueue", 1000, fourteenDays},
		{"DeadFifoQueue", "", "", fourteenDays},
		{"DeadQueue", "", "", fourteenDays},
	}
	if n := len(tpl.ofType("AWS::SQS::Queue")); n != len(tests) {
		t.Errorf("there are %d queues, %d are checked here", n, len(tests))
	}
	for _, tt := range tests {
		tpl.want(tt.queue, "MessageRetentionPeriod", tt.retention)
		tpl.want(tt.queue, "RedrivePolicy.maxReceiveCount", tt.receives)
		if tt.dead == "" {
			tpl.want(tt.queue, "RedrivePolicy", "")
			continue
		}
		tpl.want(tt.queue, "RedrivePolicy.deadLetterTargetArn", arnOf(tt.dead))
		if fmt.Sprint(tpl.property(tt.queue, "FifoQueue")) != fmt.Sprint(tpl.property(tt.dead, "FifoQueue")) {
			t.Errorf("%s and its dead-letter queue %s are not of one kind", tt.queue, tt.dead)
		}
	}
}

func TestEverythingIsEncryptedWithACustomerKeyByParameter(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	customerKey := choice("HasKmsKey", ref("KmsKeyArn"), noValue())
	for _, q := range tpl.ofType("AWS::SQS::Queue") {
		tpl.want(q, "SqsManagedSseEnabled", choice("HasKmsKey", noValue(), true))
		tpl.want(q, "KmsMasterKeyId", customerKey)
	}
	for _, table := range tpl.ofType("AWS::DynamoDB::Table") {
		// Without SSESpecification DynamoDB encrypts with a key that AWS owns.
		tpl.want(table, "SSESpecification", choice("HasKmsKey",
			map[string]any{"SSEEnabled": true, "SSEType": "KMS", "KMSMasterKeyId": ref("KmsKeyArn")}, noValue()))
	}
	for _, group := range tpl.ofType("AWS::Logs::LogGroup") {
		tpl.want(group, "KmsKeyId", customerKey)
		tpl.want(group, "RetentionInDays", ref("LogRetentionDays"))
	}
	if got := tpl.at("Globals", "Function", "KmsKeyArn"); fmt.Sprint(got) != fmt.Sprint(customerKey) {
		t.Errorf("the functions' settings are encrypted with %v", got)
	}
}

// What is under the key before can be read, whether there is a new key or none.
func TestTheFormerKeyStaysWithThoseThatReadWhatIsUnderIt(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	if got := tpl.at("Resources", "FormerKeyPolicy", "Condition"); got != "HasFormerKey" {
		t.Errorf("the policy is there on the condition %v", got)
	}
	tpl.want("FormerKeyPolicy", "Roles", []any{ref("SchedulerRole"), ref("OrchestratorRole"), ref("ActivityRole"), ref("QueryRole")})
	if roles := tpl.ofType("AWS::IAM::Role"); len(roles) != 4 {
		t.Errorf("the roles are %v", roles)
	}
	var via []any
	for _, service := range []string{"sqs", "scheduler", "dynamodb", "lambda", "s3"} {
		via = append(via, map[string]any{"Fn::Sub": service + ".${AWS::Region}.${AWS::URLSuffix}"})
	}
	tpl.want("FormerKeyPolicy", "PolicyDocument.Statement", []any{map[string]any{
		"Sid": "FormerKey", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": ref("FormerKmsKeyArn"),
		"Condition": map[string]any{"StringEquals": map[string]any{"kms:ViaService": via}},
	}})
}

func TestEveryQueueRefusesPlainHTTP(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	var covered []string
	for _, q := range list(tpl.property("QueuePolicy", "Queues")) {
		covered = append(covered, q.(map[string]any)["Ref"].(string))
	}
	queues := tpl.ofType("AWS::SQS::Queue")
	slices.Sort(covered)
	slices.Sort(queues)
	if !slices.Equal(covered, queues) {
		t.Errorf("the queue policy covers %v, want %v", covered, queues)
	}
	want := []any{map[string]any{
		"Sid": "RefusePlainHTTP", "Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": "*",
		"Condition": map[string]any{"Bool": map[string]any{"aws:SecureTransport": "false"}},
	}, choice("HasEventRules", map[string]any{
		// Rules send to the delay queue alone, and only those that are named.
		"Sid": "EventRules", "Effect": "Allow", "Principal": map[string]any{"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage",
		"Resource": arnOf("DelayQueue"), "Condition": map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": ref("EventRuleArns")}},
	}, noValue())}
	if policies := tpl.ofType("AWS::SQS::QueuePolicy"); len(policies) != 1 {
		t.Errorf("%v: a queue has one policy, and the later one replaces it", policies)
	}
	tpl.want("QueuePolicy", "PolicyDocument.Statement", want)
}

// A queue that says nothing takes what SQS gave new queues when it was made: 256 KiB,
// until that was raised.
func TestEveryQueueTakesAMebibyte(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	queues := tpl.ofType("AWS::SQS::Queue")
	if len(queues) != 6 {
		t.Errorf("the queues are %v", queues)
	}
	for _, q := range queues {
		tpl.want(q, "MaximumMessageSize", 1<<20)
	}
}

func TestTablesAreKeptWhateverHappensToTheStack(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for _, table := range tpl.ofType("AWS::DynamoDB::Table") {
		tpl.want(table, "BillingMode", "PAY_PER_REQUEST")
		tpl.want(table, "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled", true)
		tpl.want(table, "DeletionProtectionEnabled", true)
	}
	kept := append(tpl.ofType("AWS::DynamoDB::Table"), tpl.ofType("AWS::Scheduler::ScheduleGroup")...)
	if len(kept) != 5 {
		t.Errorf("%v are retained, want four tables and the schedule group", kept)
	}
	for _, r := range kept {
		for _, policy := range []string{"DeletionPolicy", "UpdateReplacePolicy"} {
			if got := tpl.at("Resources", r, policy); got != "Retain" {
				t.Errorf("%s of %s is %v, want Retain", policy, r, got)
			}
		}
	}
}

func TestNoResourceHasAFixedName(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for name := range tpl.at("Resources").(map[string]any) {
		for _, p := range []string{"QueueName", "TableName", "FunctionName", "RoleName", "LogGroupName", "Name", "AlarmName", "ManagedPolicyName"} {
			if got := tpl.property(name, p); got != "" {
				t.Errorf("%s has the fixed %s %v: a second stack would collide", name, p, got)
			}
		}
	}
}

func TestFunctionsAreWhatTheParametersSay(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for key, want := range map[string]any{
		"Runtime":       "provided.al2023",
		"Handler":       "bootstrap",
		"Architectures": []any{ref("Architecture")},
		"VpcConfig": choice("HasVpc", map[string]any{
			"SubnetIds": ref("VpcSubnetIds"), "SecurityGroupIds": ref("VpcSecurityGroupIds")}, noValue()),
	} {
		if got := tpl.at("Globals", "Function", key); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("Globals.Function.%s is %v, want %v", key, got, want)
		}
	}
	if got := tpl.at("Parameters", "Architecture", "Default"); got != "arm64" {
		t.Errorf("the default architecture is %v, want arm64", got)
	}
	for f, part := range map[string]string{"OrchestratorFunction": "Orchestrator", "ActivityFunction": "Activity", "QueryFunction": "Query"} {
		if part != "Query" { // It replays what the orchestrator does, in as much memory.
			tpl.want(f, "MemorySize", ref(part+"Memory"))
		}
		tpl.want(f, "Role", arnOf(part+"Role"))
		tpl.want(f, "LoggingConfig", map[string]any{
			"LogFormat": "JSON", "LogGroup": ref(part + "LogGroup"),
			// Everything; log_test.go says why.
			"ApplicationLogLevel": "TRACE", "SystemLogLevel": "WARN",
		})
		tpl.want(f, "Environment.Variables.TURNSTILE_LOG_LEVEL", ref("LogLevel"))
		metadata := tpl.at("Resources", f, "Metadata")
		want := map[string]any{"BuildMethod": "makefile", "ContextPath": map[string]any{"Fn::Sub": "lambdas/build/${Architecture}"}, "WorkingDirectory": "."}
		if fmt.Sprint(metadata) != fmt.Sprint(want) {
			t.Errorf("Metadata of %s is %v, want %v", f, metadata, want)
		}
	}
}

// Senders are told by the unique id of their role, which SQS gives; its ARN or
// its name would match none of them, and nothing would be refused.
func TestSendersAreJudgedByTheIdOfTheActivityRole(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	variables := "Environment.Variables."
	tpl.want("OrchestratorFunction", variables+"TURNSTILE_ACTIVITY_ROLE_ID", map[string]any{"Fn::GetAtt": "ActivityRole.RoleId"})
	tpl.want("OrchestratorFunction", variables+"TURNSTILE_ACTIVITIES_MAY_SEND", ref("ActivitiesMaySend"))
	if d := tpl.at("Parameters", "ActivitiesMaySend", "Default"); d != "false" {
		t.Errorf("by default activities may send starts and events: %v", d)
	}
	tpl.want("ActivityFunction", "Role", arnOf("ActivityRole"))
}

// The keys are the orchestrator's: the other function is not even told where
// they are.
func TestOnlyTheOrchestratorKnowsTheKeysTable(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	variables := "Environment.Variables."
	tpl.want("OrchestratorFunction", variables+"TURNSTILE_KEYS_TABLE", ref("KeysTable"))
	tpl.want("OrchestratorFunction", variables+"TURNSTILE_TOKEN_KEY", ref("TokenKey"))
	for _, v := range []string{"TURNSTILE_KEYS_TABLE", "TURNSTILE_TOKEN_KEY", "TURNSTILE_HISTORY_TABLE", "TURNSTILE_INSTANCES_TABLE"} {
		tpl.want("ActivityFunction", variables+v, "")
	}
}

func TestSchedulerIsTrustedForThisGroupOfThisAccountAlone(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	tpl.want("SchedulerRole", "AssumeRolePolicyDocument.Statement", []any{map[string]any{
		"Effect": "Allow", "Principal": map[string]any{"Service": "scheduler.amazonaws.com"}, "Action": "sts:AssumeRole",
		"Condition": map[string]any{"StringEquals": map[string]any{
			"aws:SourceAccount": ref("AWS::AccountId"),
			"aws:SourceArn":     arnOf("ScheduleGroup"),
		}},
	}})
	for _, role := range []string{"OrchestratorRole", "ActivityRole", "QueryRole"} {
		tpl.want(role, "AssumeRolePolicyDocument.Statement", []any{map[string]any{
			"Effect": "Allow", "Principal": map[string]any{"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole",
		}})
	}
}

// Whoever may invoke it may ask; nothing else makes it run, and it is told of tables alone.
func TestTheQueryFunctionHasNoEventSource(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	tpl.want("QueryFunction", "Events", "")
	tpl.want("QueryFunction", "MemorySize", ref("OrchestratorMemory"))
	tpl.want("QueryFunction", "Environment.Variables.TURNSTILE_HISTORY_TABLE", ref("HistoryTable"))
	tpl.want("QueryFunction", "Environment.Variables.TURNSTILE_INSTANCES_TABLE", ref("InstancesTable"))
	for _, v := range []string{"TURNSTILE_KEYS_TABLE", "TURNSTILE_ACTIVITIES_TABLE", "TURNSTILE_ORCHESTRATOR_QUEUE_URL"} {
		tpl.want("QueryFunction", "Environment.Variables."+v, "")
	}
}

func TestOutputsNameWhatOthersNeed(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	outputs := tpl.at("Outputs").(map[string]any)
	for output, want := range map[string]any{
		"OrchestratorQueueUrl": ref("OrchestratorQueue"),
		"OrchestratorQueueArn": arnOf("OrchestratorQueue"),
		"DelayQueueUrl":        ref("DelayQueue"),
		"DelayQueueArn":        arnOf("DelayQueue"),
		"ActivityQueueUrl":     ref("ActivityQueue"),
		"ActivityDeadQueueUrl": ref("ActivityDeadQueue"),
		"DeadFifoQueueUrl":     ref("DeadFifoQueue"),
		"DeadQueueUrl":         ref("DeadQueue"),
		"HistoryTable":         ref("HistoryTable"),
		"InstancesTable":       ref("InstancesTable"),
		"ActivitiesTable":      ref("ActivitiesTable"),
		"KeysTable":            ref("KeysTable"),
		"OrchestratorFunction": ref("OrchestratorFunction"),
		"ActivityFunction":     ref("ActivityFunction"),
		"QueryFunction":        ref("QueryFunction"),
		"QueryLogGroup":        ref("QueryLogGroup"),
		"QueryPolicyArn":       ref("QueryPolicy"),
		"OrchestratorLogGroup": ref("OrchestratorLogGroup"),
		"ActivityLogGroup":     ref("ActivityLogGroup"),
		"ScheduleGroup":        ref("ScheduleGroup"),
		"StartPolicyArn":       ref("StartPolicy"),
		"WatchPolicyArn":       ref("WatchPolicy"),
		"DoctorPolicyArn":      ref("DoctorPolicy"),
		"OperatePolicyArn":     ref("OperatePolicy"),
		"FormerKeyPolicyArn":   ref("FormerKeyPolicy"),
	} {
		o, ok := outputs[output].(map[string]any)
		if !ok || fmt.Sprint(o["Value"]) != fmt.Sprint(want) {
			t.Errorf("output %s is %v, want %v", output, o["Value"], want)
		}
		delete(outputs, output)
	}
	if len(outputs) != 0 {
		t.Errorf("outputs that nothing checks: %v", outputs)
	}
}
