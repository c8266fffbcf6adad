package address

import "testing"

func TestQueuesThatHaveANameAreAmongTheOutputs(t *testing.T) {
	t.Parallel()
	found, err := FromOutputs("s", map[string]string{
		"ActivityQueues": "mail-2=https://sqs/mail gpu=https://sqs/gpu", "ActivityFunctions": "gpu=fn-gpu mail-2=fn-mail",
	}).All()
	if err != nil {
		t.Fatal(err)
	}
	queues, functions := Named(found), NamedFunctions(found)
	if len(queues) != 2 || queues[0].Output != "activity:gpu" || found[queues[1]] != "https://sqs/mail" {
		t.Errorf("queues %v of %v", queues, found)
	}
	if len(functions) != 2 || found[functions[0]] != "fn-gpu" {
		t.Errorf("functions %v of %v", functions, found)
	}
	env := map[string]string{"TURNSTILE_ACTIVITY_QUEUES": "default=https://sqs/activity gpu=https://sqs/gpu"}
	if found, err := FromEnvironment(func(name string) string { return env[name] }).All(); err != nil || len(Named(found)) != 1 {
		t.Errorf("the variable of a function gives %v, %v; want gpu alone", found, err)
	}
	if found, err := FromOutputs("s", nil).All(); err != nil || len(Named(found)) != 0 {
		t.Errorf("a stack without any has %v, %v", found, err)
	}
}
