package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

// AWS is a deployed stack on AWS, or at AWS_ENDPOINT_URL.
type AWS struct {
	settings *Settings
	load     []func(*config.LoadOptions) error
}

// NewAWS returns the stack that s names. It makes no request. load adds options for the SDK's
// configuration.
func NewAWS(s *Settings, load ...func(*config.LoadOptions) error) AWS {
	return AWS{s, load}
}

var errNoRegion = errors.New("no AWS region: pass --region, such as eu-central-1, or set AWS_REGION")

func (b AWS) config(ctx context.Context) (aws.Config, error) {
	options := slices.Clone(b.load)
	if b.settings.Region != "" {
		options = append(options, config.WithRegion(b.settings.Region))
	}
	if b.settings.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(b.settings.Profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return aws.Config{}, errNoRegion
	}
	return cfg, nil
}

// Addresses returns the requested addresses, from the stack's outputs or the environment.
func (b AWS) Addresses(ctx context.Context, asked ...address.Key) (aws.Config, map[address.Key]string, error) {
	stack := b.settings.Stack
	if stack == "" && b.settings.Getenv(address.OrchestratorURL.Variable) == "" {
		return aws.Config{}, nil, errNoStack()
	}
	cfg, err := b.config(ctx)
	if err != nil {
		return aws.Config{}, nil, err
	}
	from := address.FromEnvironment(b.settings.Getenv)
	if stack != "" {
		outputs, err := stackOutputs(ctx, cfg, stack)
		if err != nil {
			return aws.Config{}, nil, err
		}
		from = address.FromOutputs(stack, outputs)
	}
	found, err := from.All(asked...)
	return cfg, found, err
}

func stackOutputs(ctx context.Context, cfg aws.Config, stack string) (map[string]string, error) {
	out, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &stack})
	if err != nil {
		return nil, fmt.Errorf("reading the outputs of stack %q in %s: %w", stack, cfg.Region, err)
	}
	outputs := map[string]string{}
	for _, s := range out.Stacks {
		for _, o := range s.Outputs {
			outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
		}
	}
	return outputs, nil
}

// Instances implements [Backend].
func (b AWS) Instances(ctx context.Context) (Instances, error) {
	c, err := b.Client(ctx)
	if err != nil {
		return nil, err
	}
	return OfClient(c, time.Now, b.catalog(), &awsQueues{now: time.Now, sources: b.sources})
}

// Client implements [Backend].
func (b AWS) Client(ctx context.Context) (*client.Client, error) {
	codecs, err := b.settings.Codecs()
	if err != nil {
		return nil, err
	}
	cfg, found, err := b.Addresses(ctx, address.OrchestratorURL, address.HistoryTable, address.InstancesTable)
	if err != nil {
		return nil, err
	}
	options := []awslambda.Option{awslambda.WithAWSConfig(cfg), awslambda.WithCodecs(codecs), awslambda.WithConfig(awslambda.Config{
		OrchestratorQueueURL: found[address.OrchestratorURL], HistoryTable: found[address.HistoryTable], InstancesTable: found[address.InstancesTable], ActivitiesTable: found[address.ActivitiesTable],
	})}
	if function := found[address.QueryFunction]; function != "" {
		options = append(options, awslambda.WithQueries(invoker(lambda.NewFromConfig(cfg), function)))
	}
	c, err := awslambda.NewClient(ctx, options...)
	if err != nil {
		return nil, err
	}
	return c.WithActor(b.settings.Actor), nil
}

// invoker invokes a function synchronously and returns its response.
func invoker(l *lambda.Client, function string) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		out, err := l.Invoke(ctx, &lambda.InvokeInput{FunctionName: &function, Payload: payload})
		if err != nil {
			return nil, err
		}
		if out.FunctionError == nil {
			return out.Payload, nil
		}
		var failed struct{ ErrorMessage string }
		if json.Unmarshal(out.Payload, &failed) != nil || failed.ErrorMessage == "" {
			failed.ErrorMessage = string(out.Payload)
		}
		return nil, fmt.Errorf("function %s failed: %s; its logs say more", function, failed.ErrorMessage)
	}
}

// Letters implements [Backend].
func (b AWS) Letters(ctx context.Context, wait time.Duration) (letters.Letters, error) {
	queues, err := b.Queues(ctx)
	return letters.OfQueues{Queues: queues, Codecs: b.settings.Codecs, Wait: wait, Now: time.Now}, err
}

// Queues returns the dead-letter queues, and the queues to which dead letters are redriven.
func (b AWS) Queues(ctx context.Context) (deadletter.Queues, error) {
	byName := map[string]address.Key{
		deadletter.Orchestrator: address.OrchestratorURL, deadletter.Delay: address.DelayURL, deadletter.Activity: address.ActivityURL,
		deadletter.ActivityDead: address.ActivityDeadURL, deadletter.DeadFIFO: address.DeadFIFOURL, deadletter.Dead: address.DeadURL,
	}
	cfg, found, err := b.Addresses(ctx, address.OrchestratorURL, address.DelayURL, address.ActivityURL, address.ActivityDeadURL, address.DeadFIFOURL, address.DeadURL)
	if err != nil {
		return nil, err
	}
	c := awssqs.NewFromConfig(cfg)
	out := deadletter.Queues{}
	for name, a := range byName {
		if out[name], err = sqs.New(c, found[a], sqs.Options{}); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Output, err)
		}
	}
	return out, nil
}

// errNoStack returns the error for a missing target.
func errNoStack() error {
	return usage.Errorf("no stack: pass --stack NAME or set TURNSTILE_STACK; for the local stack, set the TURNSTILE_ variables:\n  eval \"$(localstack/local.sh env)\"\nor change to the folder of a project that `turnstile dev` runs")
}
