package awslambda

import (
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

// namedQueues are the activity queues that have a name; nil where none has.
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

// activityFunction is the name of an activity function in the lines of its metrics: with the name of
// its queue, if that has one, by which lines can be summed up. A dimension would cost a metric for each queue.
func activityFunction(env Config) string {
	if q := servedQueue(env); q != "" {
		return "activity:" + q
	}
	return "activity"
}

// servedQueue is the name of the queue that an activity function serves; empty for the
// one that has none.
func servedQueue(env Config) string {
	for name, url := range env.ActivityQueues {
		if url == env.ActivityQueueURL && name != names.DefaultQueue {
			return name
		}
	}
	return ""
}
