package awslambda

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/queue/sqs"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// NewClient returns a client of a deployed stack, for services. It reads
//
//	TURNSTILE_ORCHESTRATOR_QUEUE_URL, TURNSTILE_HISTORY_TABLE, TURNSTILE_INSTANCES_TABLE
//
// (the stack's outputs OrchestratorQueueUrl, HistoryTable and InstancesTable)
// unless WithEnvironment gives them; what is missing or wrong is one
// *EnvironmentError. AWS credentials and region come from where the SDK finds
// them; the stack's output ClientPolicyArn is the managed policy that allows
// what a client does. It makes no request.
func NewClient(ctx context.Context, opts ...Option) (*turnstile.Client, error) {
	o := collect(opts)
	env, err := o.read(ClientEnvironment, os.Environ())
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
	return turnstile.NewClient(turnstile.ClientConfig{
		Store: dynamo.New(dynamodb.NewFromConfig(*o.aws), dynamo.Config{Tables: dynamo.Tables{
			History: env.HistoryTable, Instances: env.InstancesTable,
		}}),
		Queue:  q,
		Codecs: o.codecs,
	})
}
