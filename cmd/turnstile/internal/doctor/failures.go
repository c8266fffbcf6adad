package doctor

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Invocations counts the failed and throttled invocations of a function in the last hour.
type Invocations struct {
	// Role is the role of the function, as in Function.
	Role, Name string
	// Failed counts failed invocations, Refused those that Lambda throttled.
	Failed, Refused int
}

// manyFailed is the number of failed invocations from which on the finding is a problem.
const manyFailed = 3

// Failures checks the invocations of the functions in the last hour, and how often the functions counted
// a message that needs an operator (host.CountHeldUp).
func Failures(functions []Invocations, heldUp int) []api.Finding {
	f := findings{area: "functions"}
	for _, fn := range functions {
		if fn.Failed > 0 {
			level := Warning
			if fn.Failed >= manyFailed {
				level = Problem
			}
			f.add(level, fmt.Sprintf("The function does not start, crashes or times out: see its log. `aws lambda get-function-configuration --function-name %s --query LoggingConfig.LogGroup` prints its name. Until it is fixed, messages wait.", fn.Name),
				"%d invocations of the %s function failed in the last hour", fn.Failed, fn.Role)
		}
		if fn.Refused > 0 {
			f.add(Warning, "The account's concurrency or the function's reserved concurrency is used up: `aws lambda get-account-settings` prints the account's limit.",
				"Lambda throttled %d invocations of the %s function in the last hour", fn.Refused, fn.Role)
		}
	}
	if heldUp > 0 {
		f.add(Problem, "See `reasons.HeldUp` in the functions' logs: not_registered (deploy a build that has the activity), codec (deploy the codec and its key), newer (deploy the newer build again), returning (the log line has the error).",
			"messages have waited an hour or more for something that the deployed build lacks, or have been redelivered for half an hour: counted %d times in the last hour", heldUp)
	}
	if len(f.all) == 0 && len(functions) > 0 {
		f.add(OK, "", "no invocation failed or was throttled in the last hour, and no message waits for another build")
	}
	return f.all
}
