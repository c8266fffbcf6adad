package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// Checks implements [Backend].
func (b AWS) Checks(now func() time.Time, own api.Build) []doctor.Check {
	return []doctor.Check{
		{Area: "access", Look: func(ctx context.Context) ([]api.Finding, error) { return b.checkAccess(ctx, own) }},
		{Area: "functions", Look: func(ctx context.Context) ([]api.Finding, error) { return b.checkFunctions(ctx, now()) }},
		{Area: "functions", Look: func(ctx context.Context) ([]api.Finding, error) { return b.checkFailures(ctx, now()) }},
		{Area: "settings", Look: b.checkSources},
		{Area: "queues", Look: b.checkQueues},
		{Area: "tables", Look: b.checkTables},
		{Area: "archive", Look: b.checkArchive},
	}
}

// checkAccess checks the caller's identity, that the stack exists, and the clock.
func (b AWS) checkAccess(ctx context.Context, own api.Build) ([]api.Finding, error) {
	cfg, err := b.config(ctx)
	if err != nil {
		return nil, err
	}
	var out []api.Finding
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		// The other checks may still have access.
		out = append(out, doctor.CouldNot("access", fmt.Errorf("reading the identity of the caller: %w", err)))
		who = &sts.GetCallerIdentityOutput{}
	} else {
		out = append(out, api.Finding{Area: "access", Level: doctor.OK, Text: fmt.Sprintf("%s, in %s", aws.ToString(who.Arn), cfg.Region)})
	}
	if skew, known := awsmiddleware.GetAttemptSkew(who.ResultMetadata); known {
		out = append(out, doctor.Clock(skew)...)
	}
	if stack := b.settings.Stack; stack != "" {
		found, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &stack})
		if err != nil {
			return out, fmt.Errorf("stack %q in %s: %w", stack, cfg.Region, err)
		}
		for _, s := range found.Stacks {
			out = append(out, doctor.Deployed(stack, string(s.StackStatus)))
		}
	}
	_, _, err = b.Addresses(ctx, address.HistoryTable, address.InstancesTable, address.ActivitiesTable, address.OrchestratorURL, address.DelayURL, address.ActivityURL, address.ActivityDeadURL, address.DeadFIFOURL, address.DeadURL, address.OrchestratorFunction, address.ActivityFunction)
	if err != nil {
		return out, err
	}
	out = append(out, api.Finding{Area: "versions", Level: doctor.OK, Text: "the stack has all resources that this command (" + own.Version + ") needs"})
	return out, nil
}

func (b AWS) checkFunctions(ctx context.Context, now time.Time) ([]api.Finding, error) {
	asked := []address.Key{address.OrchestratorFunction, address.ActivityFunction, address.HistoryTable, address.InstancesTable, address.OrchestratorURL, address.DelayURL, address.ActivityURL, address.ActivityDeadURL, address.DeadFIFOURL, address.DeadURL}
	cfg, found, err := b.Addresses(ctx, asked...)
	if err != nil {
		return nil, err
	}
	functions, err := b.functions(ctx, lambda.NewFromConfig(cfg), found)
	if err != nil {
		return nil, err
	}
	want := map[string]string{}
	for _, a := range asked[2:] {
		want[a.Variable] = found[a]
	}
	for _, q := range address.Named(found) {
		want[q.Output] = found[q]
	}
	return doctor.Functions(functions, want, now), nil
}

// functions returns the settings of the functions.
func (b AWS) functions(ctx context.Context, l *lambda.Client, found map[address.Key]string) ([]doctor.Function, error) {
	var out []doctor.Function
	all := []struct{ role, name string }{{"orchestrator", found[address.OrchestratorFunction]}, {"activity", found[address.ActivityFunction]}}
	if name := found[address.QueryFunction]; name != "" {
		all = append(all, struct{ role, name string }{"query", name})
	}
	for _, f := range address.NamedFunctions(found) {
		all = append(all, struct{ role, name string }{"activity:" + strings.TrimPrefix(f.Output, "function:"), found[f]})
	}
	for _, f := range all {
		c, err := l.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &f.name})
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", f.name, err)
		}
		fn := doctor.Function{Role: f.role, Name: f.name, State: string(c.State), Reason: aws.ToString(c.StateReason), LastUpdate: string(c.LastUpdateStatus),
			Timeout: time.Duration(aws.ToInt32(c.Timeout)) * time.Second, Memory: int(aws.ToInt32(c.MemorySize))}
		if c.Environment != nil {
			fn.Environment = c.Environment.Variables
		}
		// Lambda writes 2030-01-02T03:04:05.000+0000.
		fn.Modified, _ = time.Parse("2006-01-02T15:04:05.000-0700", aws.ToString(c.LastModified))
		// The setting stays unknown without permission, or if Lambda does not support it.
		if loop, err := l.GetFunctionRecursionConfig(ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: &f.name}); err == nil && loop.RecursiveLoop == lambdatypes.RecursiveLoopTerminate {
			fn.RecursiveLoop = "Terminate"
		}
		out = append(out, fn)
	}
	return out, nil
}

func (b AWS) checkSources(ctx context.Context) ([]api.Finding, error) {
	s, err := b.awsStack(ctx)
	if err != nil {
		return nil, err
	}
	var out []doctor.Source
	err = s.eachSource(ctx, func(m *lambdatypes.EventSourceMappingConfiguration) {
		source := doctor.Source{EventSource: s.source(m), BatchSize: int(aws.ToInt32(m.BatchSize)), Problem: aws.ToString(m.LastProcessingResult)}
		for _, kind := range m.FunctionResponseTypes {
			source.PartialAnswer = source.PartialAnswer || kind == lambdatypes.FunctionResponseTypeReportBatchItemFailures
		}
		out = append(out, source)
	})
	if err != nil {
		return nil, err
	}
	var named []string
	for _, key := range address.Named(s.queues.urls) {
		named = append(named, key.Output)
	}
	return doctor.Sources(out, named...), nil
}

func (b AWS) checkQueues(ctx context.Context) ([]api.Finding, error) {
	s, err := b.awsStack(ctx)
	if err != nil {
		return nil, err
	}
	found := s.queues.urls
	var queues []doctor.Queue
	for _, q := range shownIn(found) {
		url := found[q.url]
		got, err := s.queues.sqs.GetQueueAttributes(ctx, &awssqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll}})
		if err != nil {
			return nil, fmt.Errorf("queue %s: %w", q.name, err)
		}
		queues = append(queues, queueOf(q.name, q.fifo, q.dead, got.Attributes))
	}
	// The check of the functions reports the error.
	functions, _ := b.functions(ctx, s.lambda, found)
	out := append(doctor.Queues(queues, functions), doctor.Backlog(queues, false)...)
	named, err := namedByActivities(ctx, b.catalog())
	if err != nil {
		return append(out, doctor.CouldNot("queues", err)), nil
	}
	var served []string
	for _, q := range address.Named(found) {
		served = append(served, strings.TrimPrefix(q.Output, deadletter.Activity+":"))
	}
	return append(out, doctor.Unserved(named, served)...), nil
}

// namedByActivities returns the activities of the newest build by the queue in their declaration.
// Queues that only a call names are not in the catalog.
func namedByActivities(ctx context.Context, r console.CatalogReader) (map[string][]string, error) {
	builds, err := r.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	named := map[string][]string{}
	for _, b := range builds {
		if b.Serves != "activities" {
			continue
		}
		for _, e := range b.Entries {
			if e.Kind == catalog.Activity && e.Queue != "" {
				named[e.Queue] = append(named[e.Queue], e.Name)
			}
		}
		break
	}
	return named, nil
}

// queueOf parses the attributes of a queue.
func queueOf(name string, fifo, dead bool, attributes map[string]string) doctor.Queue {
	n := func(name sqstypes.QueueAttributeName) int {
		n, _ := strconv.Atoi(attributes[string(name)])
		return n
	}
	q := doctor.Queue{
		Name: name, FIFO: fifo, Dead: dead, ARN: attributes["QueueArn"], IsFIFO: attributes["FifoQueue"] == "true",
		ContentDedup: attributes["ContentBasedDeduplication"] == "true", DedupScope: attributes["DeduplicationScope"], ThroughputLimit: attributes["FifoThroughputLimit"],
		Visibility: time.Duration(n(sqstypes.QueueAttributeNameVisibilityTimeout)) * time.Second, Retention: time.Duration(n(sqstypes.QueueAttributeNameMessageRetentionPeriod)) * time.Second,
		Visible: n(sqstypes.QueueAttributeNameApproximateNumberOfMessages), InFlight: n(sqstypes.QueueAttributeNameApproximateNumberOfMessagesNotVisible), Delayed: n(sqstypes.QueueAttributeNameApproximateNumberOfMessagesDelayed),
	}
	q.MaxMessage = n(sqstypes.QueueAttributeNameMaximumMessageSize)
	var redrive struct {
		To  string          `json:"deadLetterTargetArn"`
		Max json.RawMessage `json:"maxReceiveCount"`
	}
	// Without a redrive policy, no message becomes a dead letter; the findings report it.
	if json.Unmarshal([]byte(attributes["RedrivePolicy"]), &redrive) == nil {
		q.RedriveTo = redrive.To
		// SQS returns a number or a string, as it was set.
		text, err := strconv.Unquote(string(redrive.Max))
		if err != nil {
			text = string(redrive.Max)
		}
		q.MaxReceive, _ = strconv.Atoi(text)
	}
	return q
}

func (b AWS) checkTables(ctx context.Context) ([]api.Finding, error) {
	cfg, found, err := b.Addresses(ctx, address.HistoryTable, address.InstancesTable, address.ActivitiesTable)
	if err != nil {
		return nil, err
	}
	c := dynamodb.NewFromConfig(cfg)
	var tables []doctor.Table
	for _, t := range []struct {
		name            string
		indexes         []string
		ttl, expendable bool
	}{
		{name: found[address.HistoryTable], ttl: true},
		{name: found[address.InstancesTable], indexes: []string{"by_time", "by_status", "by_name"}},
		{name: found[address.ActivitiesTable], ttl: true, expendable: true},
	} {
		got, err := c.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
		if err != nil {
			return doctor.Tables(tables), fmt.Errorf("table %s: %w", t.name, err)
		}
		if got.Table == nil {
			return doctor.Tables(tables), fmt.Errorf("table %s: the response has no description", t.name)
		}
		table := doctor.Table{Name: t.name, Status: string(got.Table.TableStatus), WantsTTL: t.ttl, Expendable: t.expendable, Protected: aws.ToBool(got.Table.DeletionProtectionEnabled)}
		for _, want := range t.indexes {
			is := false
			for _, index := range got.Table.GlobalSecondaryIndexes {
				is = is || aws.ToString(index.IndexName) == want && index.IndexStatus == dynamotypes.IndexStatusActive
			}
			if !is {
				table.Missing = append(table.Missing, want)
			}
		}
		// Settings that the caller may not read are not checked.
		if ttl, err := c.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.name}); err == nil && ttl.TimeToLiveDescription != nil {
			table.TTLKnown = true
			table.TTL = ttl.TimeToLiveDescription.TimeToLiveStatus == dynamotypes.TimeToLiveStatusEnabled || ttl.TimeToLiveDescription.TimeToLiveStatus == dynamotypes.TimeToLiveStatusEnabling
		}
		if backups, err := c.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &t.name}); err == nil && backups.ContinuousBackupsDescription != nil {
			table.RecoverableKnown = true
			if p := backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription; p != nil {
				table.Recoverable = p.PointInTimeRecoveryStatus == dynamotypes.PointInTimeRecoveryStatusEnabled
			}
		}
		tables = append(tables, table)
	}
	return doctor.Tables(tables), nil
}
