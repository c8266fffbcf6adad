package backend

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
)

// counted answers with sums, by the namespace, name and dimension of a metric.
type counted map[string][]float64

func (c counted) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	if c == nil {
		return nil, errors.New("denied")
	}
	if in.EndTime.Sub(*in.StartTime) != time.Hour {
		return nil, errors.New("not an hour")
	}
	out := &cloudwatch.GetMetricDataOutput{}
	for _, q := range in.MetricDataQueries {
		m := q.MetricStat.Metric
		name := *m.Namespace + " " + *m.MetricName + " " + *m.Dimensions[0].Name + "=" + *m.Dimensions[0].Value
		out.MetricDataResults = append(out.MetricDataResults, cwtypes.MetricDataResult{Id: q.Id, Values: c[name], Label: aws.String(name)})
	}
	return out, nil
}

func TestDoctorReadsWhatTheAlarmsOfTheFunctionsWatch(t *testing.T) {
	t.Parallel()
	functions := []doctor.Function{
		{Role: "orchestrator", Name: "shop-o", Environment: map[string]string{"TURNSTILE_ENVIRONMENT": "shop"}},
		{Role: "activity", Name: "shop-a", Environment: map[string]string{"TURNSTILE_ENVIRONMENT": "shop"}}, {Role: "activity:gpu", Name: "shop-g"},
	}
	found, err := failures(t.Context(), counted{
		"AWS/Lambda Errors FunctionName=shop-g":    {2, 1, 4},
		"AWS/Lambda Throttles FunctionName=shop-o": {5},
		"Turnstile HeldUp Environment=shop":        {3, 3},
	}, functions, epoch)
	if err != nil || len(found) != 3 {
		t.Fatalf("%+v, %v", found, err)
	}
	for i, says := range []string{"Lambda throttled 5 invocations of the orchestrator function", "7 invocations of the activity:gpu function failed", "counted 6 times"} {
		if !strings.Contains(found[i].Text, says) {
			t.Errorf("%+v, want %q", found[i], says)
		}
	}
	if found, err := failures(t.Context(), counted{}, functions, epoch); err != nil || len(found) != 1 || found[0].Level != doctor.OK {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := failures(t.Context(), counted(nil), functions, epoch); err == nil || !strings.Contains(err.Error(), "failed invocations") {
		t.Error(err)
	}
}
