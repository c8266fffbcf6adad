package aws

import (
	"testing"

	"github.com/aws/aws-durable-execution-sdk-go/durable/durabletest"
)

func aTest(t *testing.T) {
	runner := durabletest.NewLocalRunner(anEventOrATimeout)
	if _, err := runner.RunUntilComplete(""); err != nil {
		t.Fatal(err)
	}
	if err := runner.TimeoutCallback(runner.OpenCallbacks()[0].CallbackID); err != nil {
		t.Fatal(err)
	}
	result, err := runner.RunUntilComplete("")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := durabletest.ResultAs[string](result); answer != "expired" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestATimeout(t *testing.T) {
	t.Skip("NOT RUN: the SDK is only declared here; remove this line and the replace line of go.mod to run it")
	aTest(t)
}
