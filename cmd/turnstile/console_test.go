package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Two consoles without an address: the second takes another port.
func TestTheConsoleTakesAFreePortIfItsOwnIsTaken(t *testing.T) {
	t.Parallel()
	unset := func(s *consoleServer) { s.addr = "" }
	first, second := serve(t, newBench(t), unset), serve(t, newBench(t), unset)
	if first == second || !strings.HasPrefix(first, "http://127.0.0.1:") || !strings.HasPrefix(second, "http://127.0.0.1:") {
		t.Errorf("they listen on %s and %s", first, second)
	}
}

// serve runs the console command until the test ends, and returns its address.
func serve(t *testing.T, b *bench, change func(*consoleServer)) string {
	t.Helper()
	var out, errs bytes.Buffer
	c := &cli{out: &out, err: &errs, getenv: func(string) string { return "" }, now: b.clock.Now, open: func(s *settings) backend {
		b.settings = s
		return b
	}, settings: settings{getenv: func(string) string { return "" }}}
	urls := make(chan string, 1)
	s := &consoleServer{cli: c, addr: "127.0.0.1:0", every: 3 * time.Second, reads: 600, listening: func(url string) { urls <- url }}
	if change != nil {
		change(s)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	select {
	case url := <-urls:
		if !strings.Contains(out.String(), url) {
			t.Errorf("printed is %q", out.String())
		}
		return url
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return ""
	}
}

func fetch(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Turnstile-Action", "1")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestTheConsoleShowsWhatTheCommandsPrint(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url := serve(t, b, nil)
	_, shown := fetch(t, "GET", url+"api/v1/instances/order-2", "")
	var page, printed api.Instance
	if err := errors.Join(json.Unmarshal([]byte(shown), &page), json.Unmarshal([]byte(b.ok("describe", "order-2", "--output", "json")), &printed)); err != nil {
		t.Fatal(err)
	}
	printed.WaitingFor = nil
	one, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(printed)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("the console shows\n%s\nand the command prints\n%s", one, other)
	}
	if status, text := fetch(t, "GET", url, ""); status != 200 || !strings.Contains(text, "<title>") {
		t.Errorf("the page is %d %.200s", status, text)
	}
	if status, text := fetch(t, "POST", url+"api/v1/instances/order-2/wake", "{}"); status != 403 || !strings.Contains(text, "read_only") {
		t.Errorf("an action is %d %s", status, text)
	}
	if status, text := fetch(t, "POST", url+"api/v1/dead-letters/peek", "{}"); status != 200 || !strings.Contains(text, "letters") {
		t.Errorf("dead letters are %d %s", status, text)
	}
}

func TestTheConsoleActsWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	url := serve(t, b, func(s *consoleServer) { s.actions = true })
	if status, text := fetch(t, "POST", url+"api/v1/instances/order-2/wake", "{}"); status != 200 {
		t.Errorf("a wake is %d %s", status, text)
	}
}

func TestTheConsoleListensOnThisMachineAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, addr := range []string{"0.0.0.0:0", ":8877", "[::]:0", "192.168.1.2:80", "example.com:80"} {
		b.fails(exitUsage, []string{"no login", "--allow-host"}, "console", "--addr", addr)
	}
	b.fails(exitUsage, []string{"host:port"}, "console", "--addr", "8877")
	b.fails(exitUsage, []string{"--reads"}, "console", "--reads", "0")
	b.fails(exitUsage, []string{"--allow-host", "without scheme"}, "console", "--allow-host", "https://x")
	url := serve(t, sampled(t), func(s *consoleServer) { s.addr, s.hosts = "0.0.0.0:0", []string{"ops.example.com"} })
	r, err := http.NewRequestWithContext(t.Context(), "GET", strings.Replace(url, "[::]", "127.0.0.1", 1)+"api/v1/about", nil)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{"ops.example.com": 200, "evil.example": http.StatusMisdirectedRequest} {
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s: %d, want %d", host, answer.StatusCode, want)
		}
	}
}

func TestErrorsOfAWSSayWhatIsMissingAndWhatHasIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, text string
		want       api.Code
		says       []string
	}{
		{"AccessDeniedException", "User: arn:aws:sts::1:assumed-role/r/s is not authorized to perform: dynamodb:Query on resource: arn:aws:dynamodb:eu-central-1:1:table/T/index/by_status because no identity-based policy allows the dynamodb:Query action",
			api.CodeDenied, []string{"may not dynamodb:Query on arn:aws:dynamodb:eu-central-1:1:table/T/index/by_status", "WatchPolicyArn"}},
		{"AccessDenied", "User: arn:aws:iam::1:user/u is not authorized to perform: sqs:receivemessage on resource: arn:aws:sqs:eu-central-1:1:dead because no identity-based policy allows the sqs:receivemessage action",
			api.CodeDenied, []string{"sqs:receivemessage", "arn:aws:sqs:eu-central-1:1:dead", "OperatePolicyArn"}},
		{"AccessDenied", "User: u is not authorized to perform: sqs:SendMessage on resource: q with an explicit deny in a service control policy", api.CodeDenied, []string{"sqs:SendMessage", "explicitly"}},
		{"AccessDeniedException", "no", api.CodeDenied, []string{"WatchPolicyArn"}},
		{"ExpiredTokenException", "expired", api.CodeCredentials, []string{"log in again"}},
		{"ResourceNotFoundException", "Requested resource not found", api.CodeOlderStack, []string{"older than this build", "region"}},
		{"ValidationException", "The table does not have the specified index: by_name", api.CodeOlderStack, []string{"by_name", "the template of this build"}},
	} {
		got := explained(&wrapped{&smithy.GenericAPIError{Code: c.code, Message: c.text}})
		if got == nil || got.Code != c.want {
			t.Errorf("%s: %+v", c.code, got)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(got.Message+" "+got.Advice, s) {
				t.Errorf("%s: %q is not said in %q", c.code, s, got.Message+" "+got.Advice)
			}
		}
	}
	if got := explained(errors.New("something else")); got != nil {
		t.Errorf("another error is %+v", got)
	}
}

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "turnstile: listing: " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

// measured answers as SQS and CloudWatch do.
type measured struct {
	asked *cloudwatch.GetMetricDataInput
}

func (*measured) GetQueueAttributes(_ context.Context, in *awssqs.GetQueueAttributesInput, _ ...func(*awssqs.Options)) (*awssqs.GetQueueAttributesOutput, error) {
	n := "0"
	if strings.HasSuffix(*in.QueueUrl, "/delay") {
		n = "7"
	}
	return &awssqs.GetQueueAttributesOutput{Attributes: map[string]string{
		"ApproximateNumberOfMessages": n, "ApproximateNumberOfMessagesNotVisible": "2", "ApproximateNumberOfMessagesDelayed": "3",
	}}, nil
}

func (m *measured) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	m.asked = in
	return &cloudwatch.GetMetricDataOutput{MetricDataResults: []cwtypes.MetricDataResult{
		{Id: aws.String("q1"), Values: []float64{90, 30}, Timestamps: []time.Time{epoch, epoch.Add(-time.Minute)}}, {Id: aws.String("q0")},
	}}, nil
}

func TestQueuesOfAStackSayHowFullAndHowOldTheyAre(t *testing.T) {
	t.Parallel()
	m := &measured{}
	q := &awsQueues{sqs: m, metrics: m, urls: map[address.Key]string{address.OrchestratorURL: "https://sqs/1/orch.fifo", address.DelayURL: "https://sqs/1/delay"}, now: func() time.Time { return epoch }}
	queues, err := q.Queues(t.Context())
	if err != nil || len(queues) != 6 || queues[1] != (api.Queue{Name: "delay", Visible: 7, InFlight: 2, Delayed: 3}) || !queues[4].DeadLetters {
		t.Errorf("%+v, %v", queues, err)
	}
	ages, err := q.QueueAges(t.Context())
	if err != nil || len(ages) != 6 || ages[1] != (api.QueueAge{Name: "delay", OldestSeconds: 90, At: epoch}) || !ages[0].At.IsZero() {
		t.Errorf("%+v, %v", ages, err)
	}
	if d := m.asked.MetricDataQueries[0].MetricStat.Metric.Dimensions[0]; *d.Value != "orch.fifo" {
		t.Errorf("asked for %s", *d.Value)
	}
}
