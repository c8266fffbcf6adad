package awslambda

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// NewClient returns a client of a deployed stack, for services. It reads
//
//	TURNSTILE_ORCHESTRATOR_QUEUE_URL, TURNSTILE_HISTORY_TABLE, TURNSTILE_INSTANCES_TABLE
//
// (the stack's outputs OrchestratorQueueUrl, HistoryTable and InstancesTable) unless WithConfig is
// given. Without both tables the client can start instances and raise events, but cannot read. With
// TURNSTILE_ACTIVITIES_TABLE (output ActivitiesTable) it can also read the state of running activities.
// The SDK finds AWS credentials and region in the usual places; the managed policies in the stack's
// outputs StartPolicyArn and WatchPolicyArn allow starting and reading. One error lists everything that
// is missing or wrong.
//
// NewClient makes no request. It does not read TURNSTILE_STACK, which the command line uses, because
// names of tables need not contain the name of their stack.
func NewClient(ctx context.Context, opts ...Option) (*client.Client, error) {
	o := collect(opts)
	env, err := o.read(clientConfig, os.Environ())
	if err != nil {
		return nil, err
	}
	if o.aws == nil {
		cfg, err := serviceConfig(ctx)
		if err != nil {
			return nil, err
		}
		o.aws = &cfg
	}
	q, err := sqs.New(awssqs.NewFromConfig(*o.aws), env.OrchestratorQueueURL, sqs.Options{})
	if err != nil {
		return nil, err
	}
	cfg := client.Config{Queue: q, Codecs: o.codecs, Queries: o.queries}
	if env.HistoryTable != "" || env.InstancesTable != "" {
		cfg.Store = dynamo.New(dynamodb.NewFromConfig(*o.aws), dynamo.Config{Tables: dynamo.Tables{
			History: env.HistoryTable, Instances: env.InstancesTable,
		}})
	}
	if env.ActivitiesTable != "" {
		cfg.Activities = dynamo.NewActivities(dynamodb.NewFromConfig(*o.aws), dynamo.Config{Tables: dynamo.Tables{Activities: env.ActivitiesTable}})
	}
	return client.New(cfg)
}
