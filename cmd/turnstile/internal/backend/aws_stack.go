package backend

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// awsStack holds the functions and queues of a stack.
type awsStack struct {
	lambda    *lambda.Client
	queues    *awsQueues
	functions []string
	// names maps the last part of a queue's URL to its name.
	names map[string]string
}

// Stack implements [Backend].
func (b AWS) Stack(ctx context.Context) (pausing.Stack, error) {
	return b.awsStack(ctx)
}

func (b AWS) awsStack(ctx context.Context) (*awsStack, error) {
	cfg, found, err := b.withQueues(ctx, address.OrchestratorFunction, address.ActivityFunction)
	if err != nil {
		return nil, err
	}
	s := &awsStack{lambda: lambda.NewFromConfig(cfg), functions: []string{found[address.OrchestratorFunction], found[address.ActivityFunction]},
		queues: &awsQueues{sqs: awssqs.NewFromConfig(cfg), urls: found}, names: map[string]string{}}
	for _, f := range address.NamedFunctions(found) {
		s.functions = append(s.functions, found[f])
	}
	for _, q := range shownIn(found) {
		s.names[path.Base(found[q.url])] = q.name
	}
	return s, nil
}

// sources returns the event sources of the stack.
func (b AWS) sources(ctx context.Context) ([]api.EventSource, error) {
	s, err := b.awsStack(ctx)
	if err != nil {
		return nil, err
	}
	return s.Sources(ctx)
}

// Sources implements pausing.Stack.
func (s *awsStack) Sources(ctx context.Context) ([]api.EventSource, error) {
	var out []api.EventSource
	err := s.eachSource(ctx, func(m *lambdatypes.EventSourceMappingConfiguration) { out = append(out, s.source(m)) })
	return out, err
}

// eachSource calls do for each event source of the functions. It stops at the first failed request.
func (s *awsStack) eachSource(ctx context.Context, do func(*lambdatypes.EventSourceMappingConfiguration)) error {
	for _, function := range s.functions {
		pages := lambda.NewListEventSourceMappingsPaginator(s.lambda, &lambda.ListEventSourceMappingsInput{FunctionName: &function})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return fmt.Errorf("listing the event sources of function %s: %w", function, err)
			}
			for i := range page.EventSourceMappings {
				do(&page.EventSourceMappings[i])
			}
		}
	}
	return nil
}

func (s *awsStack) source(m *lambdatypes.EventSourceMappingConfiguration) api.EventSource {
	arn := aws.ToString(m.EventSourceArn)
	queue := arn[strings.LastIndex(arn, ":")+1:]
	if name := s.names[queue]; name != "" {
		queue = name
	}
	out := api.EventSource{ID: aws.ToString(m.UUID), Queue: queue, Function: aws.ToString(m.FunctionArn), State: aws.ToString(m.State)}
	if m.LastModified != nil {
		out.ChangedAt = m.LastModified.UTC()
	}
	return out
}

// Source implements pausing.Stack.
func (s *awsStack) Source(ctx context.Context, id string) (api.EventSource, error) {
	m, err := s.lambda.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: &id})
	if err != nil {
		return api.EventSource{}, err
	}
	return s.source(&lambdatypes.EventSourceMappingConfiguration{UUID: m.UUID, EventSourceArn: m.EventSourceArn, FunctionArn: m.FunctionArn, State: m.State, LastModified: m.LastModified}), nil
}

// Enable implements pausing.Stack.
func (s *awsStack) Enable(ctx context.Context, id string, on bool) error {
	_, err := s.lambda.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{UUID: &id, Enabled: &on})
	return err
}

// Queue implements pausing.Stack.
func (s *awsStack) Queue(ctx context.Context, name string) (api.Queue, error) {
	return s.queues.queue(ctx, name)
}
