// Package address finds the queues, tables and functions of a stack, in the outputs of its template
// or in environment variables.
package address

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/names"
)

// Key names a resource of a stack: by its output in template.yaml, and by the environment variable
// with the same value.
type Key struct{ Output, Variable string }

// The addresses of a stack.
var (
	HistoryTable   = Key{"HistoryTable", "TURNSTILE_HISTORY_TABLE"}
	InstancesTable = Key{"InstancesTable", "TURNSTILE_INSTANCES_TABLE"}
	// ActivitiesTable is optional.
	ActivitiesTable = Key{"ActivitiesTable", "TURNSTILE_ACTIVITIES_TABLE"}

	OrchestratorFunction = Key{"OrchestratorFunction", "TURNSTILE_ORCHESTRATOR_FUNCTION"}
	ActivityFunction     = Key{"ActivityFunction", "TURNSTILE_ACTIVITY_FUNCTION"}

	// QueryFunction is optional: a stack of an older template has none.
	QueryFunction = Key{"QueryFunction", "TURNSTILE_QUERY_FUNCTION"}

	// The log groups of the functions, which only a stack's outputs name.
	OrchestratorLogs = Key{"OrchestratorLogGroup", ""}
	ActivityLogs     = Key{"ActivityLogGroup", ""}

	OrchestratorURL = Key{"OrchestratorQueueUrl", "TURNSTILE_ORCHESTRATOR_QUEUE_URL"}
	DelayURL        = Key{"DelayQueueUrl", "TURNSTILE_DELAY_QUEUE_URL"}
	ActivityURL     = Key{"ActivityQueueUrl", "TURNSTILE_ACTIVITY_QUEUE_URL"}
	ActivityDeadURL = Key{"ActivityDeadQueueUrl", "TURNSTILE_ACTIVITY_DEAD_QUEUE_URL"}
	DeadFIFOURL     = Key{"DeadFifoQueueUrl", "TURNSTILE_DEAD_FIFO_QUEUE_URL"}
	DeadURL         = Key{"DeadQueueUrl", "TURNSTILE_DEAD_QUEUE_URL"}

	// The named activity queues and their functions: "gpu=… mail=…". A stack without named queues
	// has neither.
	activityQueues    = Key{"ActivityQueues", "TURNSTILE_ACTIVITY_QUEUES"}
	activityFunctions = Key{"ActivityFunctions", "TURNSTILE_ACTIVITY_FUNCTIONS"}
)

const (
	ofQueue    = "activity:"
	ofFunction = "function:"
)

// Named returns the keys of the named activity queues in the result of All, such as
// "activity:gpu", in order.
func Named(found map[Key]string) (queues []Key) { return with(found, ofQueue) }

// NamedFunctions returns the keys of the functions of the named queues, in order.
func NamedFunctions(found map[Key]string) (functions []Key) { return with(found, ofFunction) }

func with(found map[Key]string, prefix string) (all []Key) {
	for key := range found {
		if strings.HasPrefix(key.Output, prefix) {
			all = append(all, key)
		}
	}
	slices.SortFunc(all, func(a, b Key) int { return strings.Compare(a.Output, b.Output) })
	return all
}

// Addresses looks up the addresses of a stack's queues and tables.
type Addresses struct {
	// where is the start of the error for missing addresses.
	where string
	// value returns an address; empty if it is missing.
	value func(Key) string
	// word returns the name of an address, for the error.
	word func(Key) string
}

// FromOutputs looks up addresses in the outputs of a stack.
func FromOutputs(stack string, outputs map[string]string) Addresses {
	return Addresses{
		where: fmt.Sprintf("stack %q has no output", stack),
		value: func(a Key) string { return outputs[a.Output] },
		word:  func(a Key) string { return a.Output },
	}
}

// FromEnvironment looks up addresses in environment variables.
func FromEnvironment(getenv func(string) string) Addresses {
	return Addresses{
		where: "the environment does not set",
		value: func(a Key) string {
			if a.Variable == "" {
				return ""
			}
			return getenv(a.Variable)
		},
		word: func(a Key) string { return a.Variable },
	}
}

// All returns the requested addresses. Its error names all missing ones.
func (a Addresses) All(asked ...Key) (map[Key]string, error) {
	found := map[Key]string{}
	for _, known := range []Key{ActivitiesTable, QueryFunction, OrchestratorLogs, ActivityLogs} {
		found[known] = a.value(known) // These are optional.
	}
	for prefix, list := range map[string]Key{ofQueue: activityQueues, ofFunction: activityFunctions} {
		for _, one := range strings.Fields(a.value(list)) {
			if name, where, ok := strings.Cut(one, "="); ok && name != names.DefaultQueue {
				found[Key{Output: prefix + name}] = where
			}
		}
	}
	var missing []string
	for _, want := range asked {
		if found[want] = a.value(want); found[want] == "" {
			missing = append(missing, a.word(want))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s %s: check that the stack was deployed from Turnstile's template.yaml, and that the template is up to date", a.where, strings.Join(missing, ", "))
	}
	return found, nil
}
