package backend

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// measured answers as SQS and CloudWatch do.
type measured struct {
	asked *cloudwatch.GetMetricDataInput
}

func (*measured) GetQueueAttributes(_ context.Context, in *awssqs.GetQueueAttributesInput, _ ...func(*awssqs.Options)) (*awssqs.GetQueueAttributesOutput, error) {
	n := "0"
	if strings.HasSuffix(*in.QueueUrl, "/delay") {
		n = "7"
	}
	return &awssqs.GetQueueAttributesOutput{Attributes: map[string]string{
		"ApproximateNumberOfMessages": n, "ApproximateNumberOfMessagesNotVisible": "2", "ApproximateNumberOfMessagesDelayed": "3",
	}}, nil
}

func (m *measured) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	m.asked = in
	return &cloudwatch.GetMetricDataOutput{MetricDataResults: []cwtypes.MetricDataResult{
		{Id: aws.String("q1"), Values: []float64{90, 30}, Timestamps: []time.Time{epoch, epoch.Add(-time.Minute)}}, {Id: aws.String("q0")},
	}}, nil
}

func TestQueuesOfAStackSayHowFullAndHowOldTheyAre(t *testing.T) {
	t.Parallel()
	m := &measured{}
	q := &awsQueues{sqs: m, metrics: m, urls: map[address.Key]string{address.OrchestratorURL: "https://sqs/1/orch.fifo", address.DelayURL: "https://sqs/1/delay"}, now: func() time.Time { return epoch }}
	queues, err := q.Queues(t.Context())
	if err != nil || len(queues) != 6 || queues[1] != (api.Queue{Name: "delay", Visible: 7, InFlight: 2, Delayed: 3}) || !queues[4].DeadLetters {
		t.Errorf("%+v, %v", queues, err)
	}
	ages, err := q.QueueAges(t.Context())
	if err != nil || len(ages) != 6 || ages[1] != (api.QueueAge{Name: "delay", OldestSeconds: 90, At: epoch}) || !ages[0].At.IsZero() {
		t.Errorf("%+v, %v", ages, err)
	}
	if d := m.asked.MetricDataQueries[0].MetricStat.Metric.Dimensions[0]; *d.Value != "orch.fifo" {
		t.Errorf("asked for %s", *d.Value)
	}
}

// Event sources that are off are paused queues. They are not asked for with each look.
func TestPausedQueuesOfAStackAreThoseWhoseEventSourcesAreOff(t *testing.T) {
	t.Parallel()
	now, asked := epoch, 0
	sources := []api.EventSource{{Queue: "activity:gpu", State: "Disabled", ChangedAt: epoch}, {Queue: "activity", State: "Enabled"}, {Queue: "orchestrator", State: "Disabled"}, {Queue: "delay", State: "Enabling"}}
	q := &awsQueues{now: func() time.Time { return now }, sources: func(context.Context) ([]api.EventSource, error) { asked++; return sources, nil }}
	want := []api.PausedQueue{{Name: "activity:gpu", Queue: "gpu", At: epoch}, {Name: "orchestrator"}}
	for range 3 {
		if got, err := q.PausedQueues(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("paused are %+v, %v", got, err)
		}
	}
	sources, now = nil, now.Add(pausesKept)
	if got, err := q.PausedQueues(t.Context()); err != nil || len(got) != 0 || asked != 2 {
		t.Errorf("paused are %+v, %v, asked for %d times", got, err, asked)
	}
}

type builds []console.Build

func (b builds) Catalog(context.Context) ([]console.Build, error) { return b, nil }

// Builds of before may have named queues that are gone.
func TestTheNewestBuildOfActivitiesSaysWhichQueuesAreNamed(t *testing.T) {
	t.Parallel()
	named, err := namedByActivities(t.Context(), builds{
		{Serves: "orchestrations", Entries: []catalog.Entry{{Kind: catalog.Activity, Name: "Inline", Queue: "other"}}},
		{Serves: "activities", Entries: []catalog.Entry{{Kind: catalog.Activity, Name: "Render", Queue: "gpu"}, {Kind: catalog.Activity, Name: "Send"}}},
		{Serves: "activities", Entries: []catalog.Entry{{Kind: catalog.Activity, Name: "Render", Queue: "old"}}},
	})
	if err != nil || len(named) != 1 || !slices.Equal(named["gpu"], []string{"Render"}) {
		t.Errorf("named are %v, %v", named, err)
	}
}
