//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// invokeQueries invokes the deployed query function, as the client of Lambda does. LocalStack checks no
// signatures.
func (s *stack) invokeQueries(ctx context.Context, t testing.TB, payload []byte) ([]byte, error) {
	t.Helper()
	url := variable(t, "AWS_ENDPOINT_URL") + "/2015-03-31/functions/" + variable(t, "TURNSTILE_QUERY_FUNCTION") + "/invocations"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	response, err := s.cfg.HTTPClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || response.Header.Get("X-Amz-Function-Error") != "") {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return body, err
}

// asking is a client that asks queries of the deployed query function.
func (s *stack) asking(ctx context.Context, t testing.TB) *client.Client {
	t.Helper()
	c, err := awslambda.NewClient(ctx, awslambda.WithAWSConfig(s.cfg), awslambda.WithQueries(func(ctx context.Context, payload []byte) ([]byte, error) {
		return s.invokeQueries(ctx, t, payload)
	}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACustomerAsksWhereAnOrderIs(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	c, id, norway := s.asking(ctx, t), unique("order"), orders.Place{Country: "NO"}
	if _, err := client.Query(ctx, c, orders.Arrival, id, norway); !isNotFound(err) {
		t.Errorf("a query of an instance that does not exist: %v", err)
	}
	run := waiting(ctx, t, c, id)
	before, err := c.History(ctx, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	waits, err := client.Get(ctx, c, orders.Status, id)
	if err != nil || waits.Value != "waiting for approval" || waits.Ended {
		t.Errorf("the status is %+v, %v", waits, err)
	}
	a, err := client.Query(ctx, c, orders.Arrival, id, norway)
	if err != nil || a.Value.Days != 5 || a.Problem != nil || a.ExecutionID != 1 {
		t.Errorf("the answer is %+v, %v, want 5 days", a, err)
	}
	var refused *client.QueryError
	if _, err := client.Query(ctx, c, orders.Arrival, id, orders.Place{Country: "XX"}); !errors.As(err, &refused) || refused.Kind != "failed" || refused.Orchestration != "Fulfil" {
		t.Errorf("an error of the handler: %v", err)
	}
	if _, err := c.Query(ctx, client.QueryRequest{Instance: id, Name: "arrivals"}); !errors.As(err, &refused) || refused.Kind != "unknown" || !strings.Contains(err.Error(), "arrival") {
		t.Errorf("an unknown query: %v", err)
	}
	if after, err := c.History(ctx, id, 0); err != nil || !slices.Equal(kinds(after), kinds(before)) {
		t.Errorf("the queries have changed the history from %v to %v, %v", kinds(before), kinds(after), err)
	}

	if err := client.Raise(ctx, c, orders.Approved, id, orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	for v := waits; !v.Ended; {
		if v, err = client.WaitState(ctx, c, orders.Status, id, v.Number); err != nil {
			t.Fatal(err)
		}
		if v.Ended && v.Value != "shipped" {
			t.Errorf("the last status is %+v", v)
		}
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if a, err := client.Query(ctx, c, orders.Arrival, id, norway); err != nil || a.Value.Days != 4 || a.ReadTo != a.LastEventID {
		t.Errorf("the answer of an order that has ended is %+v, %v, want 4 days", a, err)
	}
}

func TestTheQueryFunctionRefusesMessagesAndHasNoEventSource(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	out, err := s.invokeQueries(ctx, t, []byte(`{"Records":[{"eventSource":"aws:sqs","messageId":"1","body":"{}"}]}`))
	if err == nil || !strings.Contains(err.Error(), "remove its event source") {
		t.Errorf("messages of a queue: %s, %v", out, err)
	}
	var sources []any
	readAWS(ctx, t, &sources, "lambda", "list-event-source-mappings", "--function-name", variable(t, "TURNSTILE_QUERY_FUNCTION"), "--query", "EventSourceMappings")
	if len(sources) > 0 {
		t.Errorf("its event sources are %v", sources)
	}
}

// The roles as they are deployed: the query function only reads, the activity function cannot write states,
// which are in the record of an instance, and the policy of callers allows only the invocation. (The
// simulation of LocalStack knows no wildcards; package awslambda compares the policies with the code.)
func TestTheDeployedRolesCannotWriteStates(t *testing.T) {
	t.Parallel()
	_, ctx := deployed(t)
	tables := map[string]string{} // the variable of each table, by its ARN
	for _, name := range []string{"HISTORY", "INSTANCES", "ACTIVITIES", "KEYS"} {
		tables["arn:aws:dynamodb:us-east-1:000000000000:table/"+variable(t, "TURNSTILE_"+name+"_TABLE")] = name
	}
	for function, want := range map[string][]string{
		"QUERY":    {"GetItem HISTORY", "GetItem INSTANCES", "Query HISTORY"},
		"ACTIVITY": {"GetItem ACTIVITIES", "UpdateItem ACTIVITIES"},
	} {
		var role string
		readAWS(ctx, t, &role, "lambda", "get-function-configuration", "--function-name", variable(t, "TURNSTILE_"+function+"_FUNCTION"), "--query", "Role")
		args := []string{"iam", "simulate-principal-policy", "--policy-source-arn", role, "--query", "EvaluationResults[?EvalDecision=='allowed'].[EvalActionName,EvalResourceName]",
			"--action-names", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "--resource-arns"}
		var allowed [][]string
		readAWS(ctx, t, &allowed, slices.AppendSeq(args, maps.Keys(tables))...)
		var may []string
		for _, a := range allowed {
			may = append(may, strings.TrimPrefix(a[0], "dynamodb:")+" "+tables[a[1]])
		}
		if slices.Sort(may); !slices.Equal(may, want) {
			t.Errorf("the role of %s may do %q, want %q", function, may, want)
		}
	}
	var policy struct{ Statement []map[string]string }
	readAWS(ctx, t, &policy, "iam", "get-policy-version", "--policy-arn", variable(t, "TURNSTILE_QUERY_POLICY_ARN"), "--version-id", "v1", "--query", "PolicyVersion.Document")
	if len(policy.Statement) != 1 || policy.Statement[0]["Effect"] != "Allow" || policy.Statement[0]["Action"] != "lambda:InvokeFunction" ||
		!strings.HasSuffix(policy.Statement[0]["Resource"], ":function:"+variable(t, "TURNSTILE_QUERY_FUNCTION")) {
		t.Errorf("the policy of those who ask is %v", policy)
	}
}

// readAWS decodes the output of the AWS CLI.
func readAWS(ctx context.Context, t *testing.T, into any, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(ctx, "aws", slices.Concat([]string{"--endpoint-url", variable(t, "AWS_ENDPOINT_URL"), "--output", "json"}, args)...).CombinedOutput()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("aws %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
