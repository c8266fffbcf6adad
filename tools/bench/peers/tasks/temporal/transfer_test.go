package temporal

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
)

func TestATransferIsApprovedOrExpires(t *testing.T) {
	t.Parallel()
	for want, approved := range map[string]bool{"expired": false, "parcel for receipt 7": true} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		env.RegisterActivity(Charge)
		env.RegisterActivity(Ship)
		if approved {
			env.RegisterDelayedCallback(func() { env.SignalWorkflow("approved", nil) }, time.Hour)
		}
		env.ExecuteWorkflow(transfer, Order{ID: "7"})
		var got string
		if err := env.GetWorkflowResult(&got); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}
