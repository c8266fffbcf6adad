package main

import (
	"fmt"
	"strings"
)

// address names a queue or table of a stack: by its output in template.yaml,
// and by the environment variable that holds the same.
type address struct{ output, variable string }

// The addresses of a stack.
var (
	historyTable   = address{"HistoryTable", "TURNSTILE_HISTORY_TABLE"}
	instancesTable = address{"InstancesTable", "TURNSTILE_INSTANCES_TABLE"}
	// activitiesTable is looked at where it is known, and left out where not.
	activitiesTable = address{"ActivitiesTable", "TURNSTILE_ACTIVITIES_TABLE"}

	orchestratorFunction = address{"OrchestratorFunction", "TURNSTILE_ORCHESTRATOR_FUNCTION"}
	activityFunction     = address{"ActivityFunction", "TURNSTILE_ACTIVITY_FUNCTION"}

	orchestratorURL = address{"OrchestratorQueueUrl", "TURNSTILE_ORCHESTRATOR_QUEUE_URL"}
	delayURL        = address{"DelayQueueUrl", "TURNSTILE_DELAY_QUEUE_URL"}
	activityURL     = address{"ActivityQueueUrl", "TURNSTILE_ACTIVITY_QUEUE_URL"}
	activityDeadURL = address{"ActivityDeadQueueUrl", "TURNSTILE_ACTIVITY_DEAD_QUEUE_URL"}
	deadFIFOURL     = address{"DeadFifoQueueUrl", "TURNSTILE_DEAD_FIFO_QUEUE_URL"}
	deadURL         = address{"DeadQueueUrl", "TURNSTILE_DEAD_QUEUE_URL"}
)

// addresses says where a stack's queues and tables are.
type addresses struct {
	// where they are taken from, for errors.
	where string
	// value returns one of them, empty where it is not there.
	value func(address) string
	// word returns its name there.
	word func(address) string
}

func fromOutputs(stack string, outputs map[string]string) addresses {
	return addresses{
		where: fmt.Sprintf("stack %q has no output", stack),
		value: func(a address) string { return outputs[a.output] },
		word:  func(a address) string { return a.output },
	}
}

func fromEnvironment(getenv func(string) string) addresses {
	return addresses{
		where: "the environment does not set",
		value: func(a address) string { return getenv(a.variable) },
		word:  func(a address) string { return a.variable },
	}
}

// all returns the addresses asked for. The error names all that are missing.
func (a addresses) all(asked ...address) (map[address]string, error) {
	found := map[address]string{activitiesTable: a.value(activitiesTable)}
	var missing []string
	for _, want := range asked {
		if found[want] = a.value(want); found[want] == "" {
			missing = append(missing, a.word(want))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s %s: is it one of Turnstile's template.yaml, and up to date?", a.where, strings.Join(missing, ", "))
	}
	return found, nil
}

// errNoStack says how to name a stack.
func errNoStack() error {
	return usagef("which stack? Give --stack NAME (or set TURNSTILE_STACK), or set the TURNSTILE_ variables: for the local one\n  eval \"$(localstack/local.sh env)\"\nor go into the folder of a project that `turnstile dev` runs")
}
