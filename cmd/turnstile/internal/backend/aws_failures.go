package backend

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// failureWindow is the period in which failed invocations are counted.
const failureWindow = time.Hour

// metricReader is the part of the CloudWatch client in use.
type metricReader interface {
	GetMetricData(context.Context, *cloudwatch.GetMetricDataInput, ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error)
}

// checkFailures checks the metrics that the alarms of the functions use.
func (b AWS) checkFailures(ctx context.Context, now time.Time) ([]api.Finding, error) {
	cfg, found, err := b.Addresses(ctx, address.OrchestratorFunction, address.ActivityFunction)
	if err != nil {
		return nil, err
	}
	functions, err := b.functions(ctx, lambda.NewFromConfig(cfg), found)
	if err != nil {
		return nil, nil // The check of the functions reports the error.
	}
	return failures(ctx, cloudwatch.NewFromConfig(cfg), functions, now)
}

func failures(ctx context.Context, metrics metricReader, functions []doctor.Function, now time.Time) ([]api.Finding, error) {
	in := &cloudwatch.GetMetricDataInput{StartTime: aws.Time(now.Add(-failureWindow)), EndTime: &now}
	ask := func(id, namespace, metric, dimension, value string) {
		in.MetricDataQueries = append(in.MetricDataQueries, cwtypes.MetricDataQuery{Id: &id, MetricStat: &cwtypes.MetricStat{
			Period: aws.Int32(300), Stat: aws.String("Sum"), Metric: &cwtypes.Metric{Namespace: &namespace, MetricName: &metric,
				Dimensions: []cwtypes.Dimension{{Name: &dimension, Value: &value}}}}})
	}
	for i, f := range functions {
		ask(fmt.Sprintf("failed%d", i), "AWS/Lambda", "Errors", "FunctionName", f.Name)
		ask(fmt.Sprintf("refused%d", i), "AWS/Lambda", "Throttles", "FunctionName", f.Name)
		if environment := f.Environment["TURNSTILE_ENVIRONMENT"]; i == 0 && environment != "" {
			ask("heldup", "Turnstile", "HeldUp", "Environment", environment)
		}
	}
	got, err := metrics.GetMetricData(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading the failed invocations of the functions: %w", err)
	}
	sums := map[string]int{}
	for _, r := range got.MetricDataResults {
		for _, v := range r.Values {
			sums[aws.ToString(r.Id)] += int(v)
		}
	}
	invocations := make([]doctor.Invocations, len(functions))
	for i, f := range functions {
		invocations[i] = doctor.Invocations{Role: f.Role, Name: f.Name, Failed: sums[fmt.Sprintf("failed%d", i)], Refused: sums[fmt.Sprintf("refused%d", i)]}
	}
	return doctor.Failures(invocations, sums["heldup"]), nil
}
