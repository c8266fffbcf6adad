package backend

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// shownQueues lists the queues of a stack in display order.
var shownQueues = []shownQueue{
	{deadletter.Orchestrator, address.OrchestratorURL, false, true}, {deadletter.Delay, address.DelayURL, false, false},
	{deadletter.Activity, address.ActivityURL, false, false}, {deadletter.ActivityDead, address.ActivityDeadURL, false, false},
	{deadletter.DeadFIFO, address.DeadFIFOURL, true, true}, {deadletter.Dead, address.DeadURL, true, false},
}

type shownQueue struct {
	name string
	url  address.Key
	dead bool
	fifo bool
}

// shownIn returns the queues of a stack, including named activity queues.
func shownIn(found map[address.Key]string) []shownQueue {
	all := slices.Clone(shownQueues)
	for i, key := range address.Named(found) {
		all = slices.Insert(all, 3+i, shownQueue{key.Output, key, false, false})
	}
	return all
}

// withQueues returns the requested addresses and those of the queues.
func (b AWS) withQueues(ctx context.Context, asked ...address.Key) (aws.Config, map[address.Key]string, error) {
	for _, q := range shownQueues {
		asked = append(asked, q.url)
	}
	return b.Addresses(ctx, asked...)
}

// Console implements [Backend].
func (b AWS) Console(ctx context.Context, poll time.Duration) ([]console.Option, error) {
	cfg, found, err := b.withQueues(ctx, address.HistoryTable, address.InstancesTable)
	if err != nil {
		return nil, err
	}
	queues, err := b.Queues(ctx)
	if err != nil {
		return nil, err
	}
	place := api.Place{Kind: "aws", Settings: map[string]string{
		"region": cfg.Region, "history table": found[address.HistoryTable], "instances table": found[address.InstancesTable], "orchestrator queue": found[address.OrchestratorURL],
	}}
	if b.settings.Stack != "" {
		place.Settings["stack"] = b.settings.Stack
	}
	if endpoint := aws.ToString(cfg.BaseEndpoint); endpoint != "" {
		place.Kind, place.Settings["endpoint"] = "local stack", endpoint
	}
	var links api.Links
	if place.Kind == "aws" {
		links.Logs = insights(cfg.Region, found[address.OrchestratorLogs], found[address.ActivityLogs])
	}
	return []console.Option{
		console.WithLinks(links),
		console.WithCatalog(b.catalog()),
		console.WithPlace(place), console.WithDeadLetters(queues, poll),
		console.WithQueues(&awsQueues{sqs: awssqs.NewFromConfig(cfg), metrics: cloudwatch.NewFromConfig(cfg), urls: found, now: time.Now, sources: b.sources}),
	}, nil
}

// awsQueues reads the depth of the queues of a stack, and the age of their oldest messages.
type awsQueues struct {
	sqs interface {
		GetQueueAttributes(context.Context, *awssqs.GetQueueAttributesInput, ...func(*awssqs.Options)) (*awssqs.GetQueueAttributesOutput, error)
	}
	metrics interface {
		GetMetricData(context.Context, *cloudwatch.GetMetricDataInput, ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error)
	}
	urls map[address.Key]string
	now  func() time.Time
	// sources reads the event sources of the stack; nil if pauses are not needed.
	sources func(context.Context) ([]api.EventSource, error)

	mu        sync.Mutex
	paused    []api.PausedQueue
	pausedErr error
	pausedAt  time.Time // time of the last read; zero before the first
}

// pausesKept is the time for which the paused queues are cached.
const pausesKept = 15 * time.Second

// PausedQueues implements console.QueuePauseReader. It reads the stack's outputs and the event sources
// of each function, which is free of charge. It caches the result or the error for pausesKept.
func (a *awsQueues) PausedQueues(ctx context.Context) ([]api.PausedQueue, error) {
	if a.sources == nil {
		return nil, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pausedAt.IsZero() || a.now().Sub(a.pausedAt) >= pausesKept {
		sources, err := a.sources(ctx)
		a.paused, a.pausedErr, a.pausedAt = pausing.Queues(sources), err, a.now()
	}
	return a.paused, a.pausedErr
}

// Queues implements console.QueueReader. It makes a request for each queue.
func (a *awsQueues) Queues(ctx context.Context) ([]api.Queue, error) {
	var out []api.Queue
	for _, q := range shownIn(a.urls) {
		queue, err := a.queue(ctx, q.name)
		if err != nil {
			return nil, err
		}
		out = append(out, queue)
	}
	return out, nil
}

// queue returns the depth of a queue.
func (a *awsQueues) queue(ctx context.Context, name string) (api.Queue, error) {
	for _, q := range shownIn(a.urls) {
		if q.name != name {
			continue
		}
		url := a.urls[q.url]
		got, err := a.sqs.GetQueueAttributes(ctx, &awssqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []sqstypes.QueueAttributeName{
			sqstypes.QueueAttributeNameApproximateNumberOfMessages, sqstypes.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
			sqstypes.QueueAttributeNameApproximateNumberOfMessagesDelayed,
		}})
		if err != nil {
			return api.Queue{}, fmt.Errorf("reading the depth of queue %s: %w", q.name, err)
		}
		n := func(name sqstypes.QueueAttributeName) int {
			// The attribute is always a number.
			n, _ := strconv.Atoi(got.Attributes[string(name)])
			return n
		}
		return api.Queue{
			Name: q.name, FIFO: q.fifo, DeadLetters: q.dead,
			Visible:  n(sqstypes.QueueAttributeNameApproximateNumberOfMessages),
			InFlight: n(sqstypes.QueueAttributeNameApproximateNumberOfMessagesNotVisible),
			Delayed:  n(sqstypes.QueueAttributeNameApproximateNumberOfMessagesDelayed),
		}, nil
	}
	return api.Queue{}, fmt.Errorf("%w %q", pausing.ErrNoQueue, name)
}

// metricWindow is the period in which to look for the age of a queue, because CloudWatch publishes
// metrics with a delay of some minutes.
const metricWindow = 15 * time.Minute

// QueueAges implements console.QueueAger. It makes one request for a metric of each queue, for which
// CloudWatch charges $0.01 per 1,000 metrics (in 2025).
func (a *awsQueues) QueueAges(ctx context.Context) ([]api.QueueAge, error) {
	now := a.now()
	in := &cloudwatch.GetMetricDataInput{StartTime: aws.Time(now.Add(-metricWindow)), EndTime: &now, ScanBy: cwtypes.ScanByTimestampDescending}
	for i, q := range shownIn(a.urls) {
		in.MetricDataQueries = append(in.MetricDataQueries, cwtypes.MetricDataQuery{
			Id: aws.String(fmt.Sprintf("q%d", i)),
			MetricStat: &cwtypes.MetricStat{Period: aws.Int32(60), Stat: aws.String("Maximum"), Metric: &cwtypes.Metric{
				Namespace: aws.String("AWS/SQS"), MetricName: aws.String("ApproximateAgeOfOldestMessage"),
				Dimensions: []cwtypes.Dimension{{Name: aws.String("QueueName"), Value: aws.String(path.Base(a.urls[q.url]))}},
			}},
		})
	}
	got, err := a.metrics.GetMetricData(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading the age of the oldest messages: %w", err)
	}
	var out []api.QueueAge
	for i, q := range shownIn(a.urls) {
		age := api.QueueAge{Name: q.name}
		for _, r := range got.MetricDataResults {
			if aws.ToString(r.Id) == fmt.Sprintf("q%d", i) && len(r.Values) > 0 && len(r.Timestamps) > 0 {
				age.OldestSeconds, age.At = r.Values[0], r.Timestamps[0].UTC()
			}
		}
		out = append(out, age)
	}
	return out, nil
}
