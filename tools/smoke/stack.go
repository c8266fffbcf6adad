package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
)

// stack is a deployed stack.
type stack struct {
	client     *client.Client
	schedules  *scheduler.Client
	group      string
	border     time.Duration
	least      time.Duration
	underTheID string // prefix of the instance ids of this run
}

func describeStack(ctx context.Context, cfg aws.Config, name string) (*stack, error) {
	out, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
	if err != nil {
		return nil, fmt.Errorf("stack %q: %w", name, err)
	}
	if len(out.Stacks) == 0 {
		return nil, fmt.Errorf("stack %q: not found", name)
	}
	s := &stack{
		schedules:  scheduler.NewFromConfig(cfg),
		underTheID: "smoke-" + time.Now().UTC().Format("20060102-150405.000"),
	}
	v := values{stack: name, outputs: map[string]string{}}
	for _, o := range out.Stacks[0].Outputs {
		v.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	env := awslambda.Config{
		OrchestratorQueueURL: v.output("OrchestratorQueueUrl"),
		HistoryTable:         v.output("HistoryTable"),
		InstancesTable:       v.output("InstancesTable"),
	}
	function := v.output("QueryFunction")
	s.group = v.output("ScheduleGroup")
	s.border = v.duration(out.Stacks[0].Parameters, "TimerBorder")
	s.least = v.duration(out.Stacks[0].Parameters, "TimerLeast")
	if err := errors.Join(v.missing...); err != nil {
		return nil, err
	}
	s.client, err = awslambda.NewClient(ctx, awslambda.WithAWSConfig(cfg), awslambda.WithConfig(env),
		awslambda.WithQueries(invoking(lambda.NewFromConfig(cfg), function)))
	return s, err
}

// invoking invokes a function synchronously.
func invoking(functions *lambda.Client, name string) func(ctx context.Context, payload []byte) ([]byte, error) {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		out, err := functions.Invoke(ctx, &lambda.InvokeInput{FunctionName: &name, Payload: payload})
		switch {
		case err != nil:
			return nil, err
		case out.FunctionError != nil:
			return nil, errors.New(string(out.Payload))
		}
		return out.Payload, nil
	}
}

// shortestScheduled is a timer that goes through Scheduler: longer than what
// goes through the delay queue, by a bit for the time that its turn takes.
func (s *stack) shortestScheduled() time.Duration {
	return max(s.border, s.least) + 10*time.Second
}

// values reads what a stack says, and collects what it does not.
type values struct {
	stack   string
	outputs map[string]string
	missing []error
}

func (v *values) output(key string) string {
	if v.outputs[key] == "" {
		v.missing = append(v.missing, fmt.Errorf("stack %q has no output %s: is it one of this template?", v.stack, key))
	}
	return v.outputs[key]
}

func (v *values) duration(parameters []types.Parameter, key string) time.Duration {
	for _, p := range parameters {
		if aws.ToString(p.ParameterKey) != key {
			continue
		}
		d, err := time.ParseDuration(aws.ToString(p.ParameterValue))
		if err != nil {
			v.missing = append(v.missing, fmt.Errorf("stack %q: parameter %s: %w", v.stack, key, err))
		}
		return d
	}
	v.missing = append(v.missing, fmt.Errorf("stack %q has no parameter %s: is it one of this template?", v.stack, key))
	return 0
}
