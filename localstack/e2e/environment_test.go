//go:build unix

package e2e_test

import "testing"

// orchestratorEnvironment is what the stack gives its orchestrator function,
// with other queues.
func orchestratorEnvironment(t *testing.T, q queues) []string {
	t.Helper()
	return append(functionEnvironment(t, q,
		"TURNSTILE_HISTORY_TABLE", "TURNSTILE_INSTANCES_TABLE", "TURNSTILE_ACTIVITIES_TABLE", "TURNSTILE_KEYS_TABLE", "TURNSTILE_SCHEDULE_GROUP"),
		"TURNSTILE_ORCHESTRATOR_QUEUE_ARN="+q.orchestrator.arn,
		"TURNSTILE_DELAY_QUEUE_URL="+q.delay.url, "TURNSTILE_DELAY_QUEUE_ARN="+q.delay.arn,
		"TURNSTILE_ACTIVITY_DEAD_QUEUE_URL="+q.activityDead.url, "TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN="+q.activityDead.arn,
		"TURNSTILE_DEAD_FIFO_QUEUE_URL="+q.deadFIFO.url, "TURNSTILE_DEAD_QUEUE_URL="+q.dead.url,
		// LocalStack enforces no role.
		"TURNSTILE_SCHEDULE_ROLE_ARN=arn:aws:iam::000000000000:role/scheduler")
}

// workerEnvironment is what the stack gives its activity function, with other
// queues.
func workerEnvironment(t *testing.T, q queues) []string {
	t.Helper()
	return append(functionEnvironment(t, q, "TURNSTILE_ACTIVITIES_TABLE"), "TURNSTILE_ACTIVITY_DEAD_QUEUE_URL="+q.activityDead.url)
}

// functionEnvironment is what both have, with more of the test's own.
func functionEnvironment(t *testing.T, q queues, more ...string) []string {
	t.Helper()
	env := []string{
		"TURNSTILE_LOG_LEVEL=warn",
		"TURNSTILE_ORCHESTRATOR_QUEUE_URL=" + q.orchestrator.url,
		"TURNSTILE_ACTIVITY_QUEUE_URL=" + q.activity.url,
	}
	for _, name := range append([]string{"AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}, more...) {
		env = append(env, name+"="+variable(t, name))
	}
	return env
}
