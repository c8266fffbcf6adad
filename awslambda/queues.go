package awslambda

import (
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

// namedQueues returns the named activity queues; nil if there are none.
func namedQueues(client sqs.Client, urls map[string]string) (func(name string) queue.Queue, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	named := make(map[string]queue.Queue, len(urls))
	for name, url := range urls {
		q, err := sqs.New(client, url, sqs.Options{})
		if err != nil {
			return nil, err
		}
		named[name] = q
	}
	return func(name string) queue.Queue { return named[name] }, nil
}

// activityFunction returns the name of an activity function in its lines of metrics. It includes
// the name of the function's queue, if the queue has a name, so that lines can be summed by queue.
// A dimension would cost a metric for each queue.
func activityFunction(env Config) string {
	if q := servedQueue(env); q != "" {
		return "activity:" + q
	}
	return "activity"
}

// servedQueue returns the name of the queue that an activity function serves; empty for the default
// queue.
func servedQueue(env Config) string {
	for name, url := range env.ActivityQueues {
		if url == env.ActivityQueueURL && name != names.DefaultQueue {
			return name
		}
	}
	return ""
}
