package api_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestTheErrorForAMissingExecutionNamesTheExistingOnes(t *testing.T) {
	t.Parallel()
	d := client.Description{Instance: "r", ExecutionID: 90, FirstExecution: 75}
	if got, want := api.NoHistory(&d, 7), `instance "r" has no history of execution 7: it has executions 75 to 90`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.Pruned = 74
	if got, want := api.NoHistory(&d, 7), `instance "r" has no history of execution 7: it has executions 75 to 90; the 74 earlier ones were pruned`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if i := api.InstanceOf(&d); i.Pruned != 74 || i.FirstExecution != 75 {
		t.Errorf("as JSON: %+v", i)
	}
}
