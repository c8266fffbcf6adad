package awslambda

import (
	"strings"
	"testing"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Each function knows all activity queues, the default one among them: a function of a named
// queue calls attempts there that wait for a permit.
func TestAFunctionKnowsTheActivityQueues(t *testing.T) {
	t.Parallel()
	const sqs = "https://sqs.eu-central-1.amazonaws.com/123456789012/"
	for own, want := range map[string]string{"activity": "", "gpu": "gpu", "mail": "mail"} {
		variables := orchestratorVariables()
		variables["TURNSTILE_ACTIVITY_QUEUE_URL"] = sqs + own
		variables["TURNSTILE_ACTIVITY_QUEUES"] = "default=activity gpu=" + sqs + "gpu mail=mail" // by name or by URL
		env, err := activityConfig(environ(variables))
		if err != nil {
			t.Fatal(err)
		}
		if got := servedQueue(env); got != want {
			t.Errorf("the function of queue %s serves %q, want %q", own, got, want)
		}
		// A line of its metrics has the name of its queue, so that permits are summed up by queue.
		if got := activityFunction(env); got != strings.TrimSuffix("activity:"+want, ":") {
			t.Errorf("the function of queue %s is %q in the lines of its metrics", own, got)
		}
		named, err := namedQueues(awssqs.New(awssqs.Options{}), env.ActivityQueues)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"default", "gpu", "mail"} {
			if named(name) == nil {
				t.Errorf("the function of queue %s does not know %s", own, name)
			}
		}
		if named("other") != nil {
			t.Error("it knows a queue that is not there")
		}
	}
}

func TestWrongActivityQueuesAreReported(t *testing.T) {
	t.Parallel()
	const sqs = "https://sqs.eu-central-1.amazonaws.com/123456789012/"
	for _, wrong := range []string{"gpu", "GPU=" + sqs + "gpu", "gpu=" + sqs + "gpu.fifo", "gpu=gpu.fifo", "gpu=", "gpu=" + sqs + "a gpu=" + sqs + "b"} {
		variables := orchestratorVariables()
		variables["TURNSTILE_ACTIVITY_QUEUES"] = wrong
		if _, err := activityConfig(environ(variables)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
