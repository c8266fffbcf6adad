package temporal

import (
	"errors"
	"slices"
	"testing"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

func aTest(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.ExecuteWorkflow(anEventOrATimeout, "")
	var answer string
	if err := env.GetWorkflowResult(&answer); answer != "expired" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

func run(code, in, out any) (*activities, error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	a := &activities{tries: map[string]int{}}
	env.RegisterActivity(a)
	env.RegisterWorkflow(anActivityWithARetry)
	env.ExecuteWorkflow(code, in)
	return a, env.GetWorkflowResult(out)
}

func TestTheEightTasks(t *testing.T) {
	t.Parallel()
	aTest(t)
	for want, code := range map[int]func(workflow.Context, string) (int, error){3: anActivityWithARetry, 11: aVersionChange} {
		var n int
		if _, err := run(code, "abc", &n); n != want || err != nil {
			t.Errorf("%d in place of %d, %v", n, want, err)
		}
	}
	var n int
	if _, err := run(aChild, "abc", &n); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	var all []int
	if _, err := run(aFanOutWithALimit, []string{"a", "bc"}, &all); !slices.Equal(all, []int{1, 2}) || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := run(aContinueAsNew, 1, nil); err == nil || !workflow.IsContinueAsNewError(errors.Unwrap(err)) {
		t.Errorf("%v", err)
	}
	if a, err := run(aSaga, []string{"a", "bc", "bad"}, &all); err == nil || !slices.Equal(a.cancelled, []int{2, 1}) {
		t.Errorf("cancelled %v, %v", a.cancelled, err)
	}
}
