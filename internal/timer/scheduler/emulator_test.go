package scheduler_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awsscheduler "github.com/aws/aws-sdk-go-v2/service/scheduler"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/internal/timer/scheduler"
	"github.com/turnstile-go/turnstile/internal/timer/timertest"
)

// TestConformanceOnLocalStack runs the suite on Scheduler as LocalStack has
// it, with the plugin that fires what is due.
func TestConformanceOnLocalStack(t *testing.T) {
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs LocalStack (AWS_ENDPOINT_URL and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	t.Parallel()
	timertest.Run(t, timertest.Harness{
		Soon:      time.Minute, // A hundred schedules take a second on a quiet machine.
		Precision: 0,
		Open:      func(t *testing.T) timertest.Opened { return onLocalStack(t, endpoint) },
	})
}

// onLocalStack returns a timer with a schedule group and a target queue of its
// own. Creating a group again would wipe it, so no two tests share one.
func onLocalStack(t *testing.T, endpoint string) timertest.Opened {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	region := cmp.Or(os.Getenv("AWS_REGION"), "us-east-1")
	login := credentials.NewStaticCredentialsProvider("test", "test", "")
	schedules := awsscheduler.New(awsscheduler.Options{Region: region, BaseEndpoint: &endpoint, Credentials: login, HTTPClient: client})
	queues := awssqs.New(awssqs.Options{Region: region, BaseEndpoint: &endpoint, Credentials: login, HTTPClient: client})

	name := "timertest-" + rand.Text()
	if _, err := schedules.CreateScheduleGroup(t.Context(), &awsscheduler.CreateScheduleGroupInput{Name: &name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := schedules.DeleteScheduleGroup(context.WithoutCancel(t.Context()), &awsscheduler.DeleteScheduleGroupInput{Name: &name}); err != nil {
			t.Errorf("schedule group %s is left over: %v", name, err)
		}
	})
	target, targetARN := createQueue(t, queues, name+".fifo", map[string]string{
		"FifoQueue": "true", "ContentBasedDeduplication": "true",
		"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId",
	})
	_, deadARN := createQueue(t, queues, name, nil)
	tm, err := scheduler.New(schedules, scheduler.Options{
		Group: name, TargetARN: targetARN, DeadLetterARN: deadARN, RoleARN: "arn:aws:iam::000000000000:role/scheduler",
	})
	if err != nil {
		t.Fatal(err)
	}
	return timertest.Opened{Timer: tm, Next: func(wait time.Duration) (body, group string, ok bool) {
		t.Helper()
		for left := int32(wait / time.Second); ; left -= 20 {
			out, err := queues.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{
				QueueUrl: target, WaitTimeSeconds: min(left, 20), MaxNumberOfMessages: 1,
				MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range out.Messages {
				if _, err := queues.DeleteMessage(t.Context(), &awssqs.DeleteMessageInput{QueueUrl: target, ReceiptHandle: m.ReceiptHandle}); err != nil {
					t.Fatal(err)
				}
				return aws.ToString(m.Body), m.Attributes["MessageGroupId"], true
			}
			if left <= 20 {
				return "", "", false
			}
		}
	}}
}

func createQueue(t *testing.T, client *awssqs.Client, name string, attributes map[string]string) (url *string, arn string) {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteQueue(context.WithoutCancel(t.Context()), &awssqs.DeleteQueueInput{QueueUrl: out.QueueUrl}); err != nil {
			t.Errorf("queue %s is left over: %v", name, err)
		}
	})
	got, err := client.GetQueueAttributes(t.Context(), &awssqs.GetQueueAttributesInput{
		QueueUrl: out.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.QueueUrl, got.Attributes["QueueArn"]
}
