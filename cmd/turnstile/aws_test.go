package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
)

// cloud answers as AWS does, as far as these commands ask.
type cloud struct {
	outputs map[string]string
	mu      sync.Mutex
	calls   []string
	// lambda answers for Lambda; nil refuses.
	lambda func(w http.ResponseWriter, r *http.Request, body []byte)
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	call := r.Header.Get("X-Amz-Target")
	switch {
	case strings.Contains(string(body), "Action=GetCallerIdentity"):
		call = "GetCallerIdentity"
	case strings.HasPrefix(r.URL.Path, "/20"):
		call = "lambda " + r.Method + " " + r.URL.Path
	case call == "":
		call = "DescribeStacks"
	}
	c.mu.Lock()
	c.calls = append(c.calls, call)
	c.mu.Unlock()
	switch {
	case call == "DescribeStacks" && !strings.Contains(string(body), "StackName=turnstile-dev"):
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id other does not exist</Message></Error></ErrorResponse>`)
	case call == "DescribeStacks":
		fmt.Fprint(w, `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>turnstile-dev</StackName><CreationTime>2030-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>`)
		for key, value := range c.outputs {
			fmt.Fprintf(w, `<member><OutputKey>%s</OutputKey><OutputValue>%s</OutputValue></member>`, key, value)
		}
		fmt.Fprint(w, `</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`)
	case call == "GetCallerIdentity":
		fmt.Fprint(w, `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/ada</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	case strings.HasPrefix(call, "lambda ") && c.lambda != nil:
		c.lambda(w, r, body)
	case strings.HasPrefix(call, "lambda "):
		w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"Message":"User: arn:aws:iam::123456789012:user/ada is not authorized to perform: lambda:ListEventSourceMappings on resource: *"}`)
	default:
		answer := `{}`
		if call == "AmazonSQS.SendMessageBatch" {
			answer = taken(body)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(answer))))
		fmt.Fprint(w, answer)
	}
}

// taken is the answer of SQS that all messages of a batch are in.
func taken(request []byte) string {
	var batch struct {
		Entries []struct{ Id, MessageBody string }
	}
	if err := json.Unmarshal(request, &batch); err != nil {
		return err.Error()
	}
	var entries []string
	for _, e := range batch.Entries {
		entries = append(entries, fmt.Sprintf(`{"Id":%q,"MessageId":"m-1","MD5OfMessageBody":"%x"}`, e.Id, md5.Sum([]byte(e.MessageBody))))
	}
	return `{"Successful":[` + strings.Join(entries, ",") + `],"Failed":[]}`
}

func complete() map[string]string {
	outputs := map[string]string{}
	for _, a := range allAddresses() {
		switch {
		case a == address.HistoryTable, a == address.InstancesTable, a == address.ActivitiesTable, a == address.OrchestratorFunction, a == address.ActivityFunction:
			outputs[a.Output] = "t-" + a.Output
		case a == address.OrchestratorURL, a == address.DeadFIFOURL:
			outputs[a.Output] = "https://sqs.eu-central-1.amazonaws.com/123456789012/" + a.Output + ".fifo"
		default:
			outputs[a.Output] = "https://sqs.eu-central-1.amazonaws.com/123456789012/" + a.Output
		}
	}
	return outputs
}

func allAddresses() []address.Key {
	return []address.Key{address.HistoryTable, address.InstancesTable, address.ActivitiesTable, address.OrchestratorFunction, address.ActivityFunction, address.OrchestratorURL, address.DelayURL, address.ActivityURL, address.ActivityDeadURL, address.DeadFIFOURL, address.DeadURL}
}

// runOn runs a command line against the cloud.
func runOn(t *testing.T, c *cloud, env map[string]string, args ...string) result {
	t.Helper()
	server := httptest.NewServer(c)
	defer server.Close()
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true })
	var out, errs bytes.Buffer
	line := cli{
		in: strings.NewReader(""), out: &out, err: &errs, now: epochNow,
		getenv: func(name string) string { return env[name] },
		open: func(s *backend.Settings) backend.Backend {
			return backend.NewAWS(s,
				config.WithBaseEndpoint(server.URL), config.WithHTTPClient(client),
				config.WithRegion("eu-central-1"), config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}),
				config.WithCredentialsProvider(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
				})),
			)
		},
	}
	status := line.run(t.Context(), args)
	return result{status, out.String(), errs.String()}
}

func TestAStackIsFoundByItsOutputs(t *testing.T) {
	t.Parallel()
	c := &cloud{outputs: complete()}
	r := runOn(t, c, nil, "--stack", "turnstile-dev", "describe", "order-1")
	if r.status != exitNotFound || !strings.Contains(r.err, `no instance "order-1"`) {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(c.calls, " "); got != "DescribeStacks DynamoDB_20120810.GetItem" {
		t.Errorf("the calls were %s", got)
	}
	c = &cloud{outputs: complete()}
	r = runOn(t, c, map[string]string{"TURNSTILE_STACK": "turnstile-dev"}, "dead-letter", "list")
	if r.status != exitOK || !strings.Contains(r.err, "no dead letters") {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(c.calls, " "); got != "DescribeStacks AmazonSQS.ReceiveMessage AmazonSQS.ReceiveMessage" {
		t.Errorf("the calls were %s", got)
	}
}

func TestAStackIsFoundByTheEnvironment(t *testing.T) {
	t.Parallel()
	outputs, env := complete(), map[string]string{}
	for _, a := range allAddresses() {
		env[a.Variable] = outputs[a.Output]
	}
	c := &cloud{}
	r := runOn(t, c, env, "raise", "order-1", "approved", "--early")
	if got := strings.Join(c.calls, " "); strings.Contains(got, "Query") || !strings.HasSuffix(got, " AmazonSQS.SendMessageBatch") || r.status != exitOK || !strings.Contains(r.err, "sent: event approved for order-1") {
		t.Errorf("%s: %+v", got, r)
	}
}

func TestWhatIsMissingOfAStackIsNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	outputs := complete()
	delete(outputs, "HistoryTable")
	delete(outputs, "InstancesTable")
	for _, c := range []struct {
		name   string
		env    map[string]string
		args   string
		status int
		says   []string
	}{
		{"no stack is named", nil, "list", exitUsage, []string{"--stack NAME", "localstack/local.sh env"}},
		{"the stack is not there", nil, "list --stack other", exitFailed, []string{`stack "other"`, "does not exist", "--region"}},
		{"the stack is another one", nil, "list --stack turnstile-dev", exitFailed, []string{"HistoryTable, InstancesTable", "template.yaml"}},
		{"variables are not set", map[string]string{address.OrchestratorURL.Variable: "https://q/x.fifo"}, "dead-letter list", exitFailed,
			[]string{"TURNSTILE_DELAY_QUEUE_URL", "TURNSTILE_DEAD_FIFO_QUEUE_URL", "TURNSTILE_DEAD_QUEUE_URL"}},
		{"a queue is no URL", map[string]string{
			address.OrchestratorURL.Variable: "orchestrator.fifo", address.HistoryTable.Variable: "h", address.InstancesTable.Variable: "i",
		}, "list", exitFailed, []string{`"orchestrator.fifo" is not a queue URL`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := runOn(t, &cloud{outputs: outputs}, c.env, strings.Fields(c.args)...)
			if r.status != c.status {
				t.Errorf("exit status %d, want %d: %s", r.status, c.status, r.err)
			}
			for _, want := range c.says {
				if !strings.Contains(r.err, want) {
					t.Errorf("it says %q, without %q", r.err, want)
				}
			}
		})
	}
}
