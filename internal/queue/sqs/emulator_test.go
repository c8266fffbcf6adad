package sqs_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/queuetest"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

// TestConformanceOnLocalStack runs the suite on SQS as LocalStack has it.
func TestConformanceOnLocalStack(t *testing.T) {
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs LocalStack (AWS_ENDPOINT_URL and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Grain:               time.Second,
		RedriveKeepsDedupID: true,
		Open: func(t *testing.T, s queuetest.Spec) (queue.Queue, queue.Queue) {
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			client := awssqs.New(awssqs.Options{
				Region:       cmp.Or(os.Getenv("AWS_REGION"), "us-east-1"),
				BaseEndpoint: &endpoint,
				Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
				HTTPClient:   &http.Client{Transport: transport},
			})
			attributes := map[string]string{"VisibilityTimeout": strconv.Itoa(int(s.Visibility.Seconds()))}
			if s.MaxReceive == 0 {
				return create(t, client, s.FIFO, attributes), nil
			}
			dead := create(t, client, s.FIFO, map[string]string{})
			attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, dead.arn, s.MaxReceive)
			return create(t, client, s.FIFO, attributes), dead
		},
	})
}

// created is a queue of this test alone.
type created struct {
	*sqs.Queue
	arn string
}

func create(t *testing.T, client *awssqs.Client, fifo bool, attributes map[string]string) created {
	t.Helper()
	name := "queuetest-" + rand.Text()
	if fifo {
		name += ".fifo"
		attributes["FifoQueue"] = "true"
		attributes["ContentBasedDeduplication"] = "true"
		attributes["DeduplicationScope"] = "messageGroup"
		attributes["FifoThroughputLimit"] = "perMessageGroupId"
	}
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
		QueueUrl: out.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := sqs.New(client, *out.QueueUrl, sqs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return created{q, got.Attributes["QueueArn"]}
}
