// Package coldstart measures the Lambda binaries: their size, and the time from
// the start of a process to its first request for an event, with no network
// involved.
//
//	go -C tools/bench test -run '^$' -bench . ./coldstart
package coldstart

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

var environment = []string{
	"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "TURNSTILE_LOG_LEVEL=error",
	"TURNSTILE_HISTORY_TABLE=history", "TURNSTILE_INSTANCES_TABLE=instances", "TURNSTILE_ACTIVITIES_TABLE=activities", "TURNSTILE_KEYS_TABLE=keys",
	"TURNSTILE_ORCHESTRATOR_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo",
	"TURNSTILE_DELAY_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/delay",
	"TURNSTILE_ACTIVITY_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/activity",
	"TURNSTILE_ACTIVITY_DEAD_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/activity-dead",
	"TURNSTILE_DEAD_FIFO_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/dead.fifo",
	"TURNSTILE_DEAD_QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/123456789012/dead",
	"TURNSTILE_ORCHESTRATOR_QUEUE_ARN=arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo",
	"TURNSTILE_DELAY_QUEUE_ARN=arn:aws:sqs:eu-central-1:123456789012:delay",
	"TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN=arn:aws:sqs:eu-central-1:123456789012:activity-dead",
	"TURNSTILE_SCHEDULE_GROUP=group", "TURNSTILE_SCHEDULE_ROLE_ARN=arn:aws:iam::123456789012:role/scheduler",
}

func BenchmarkInitialisation(b *testing.B) {
	for _, function := range []string{"orchestrator", "activity"} {
		b.Run(function, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bootstrap")
			// As lambdas/build/build.mk does.
			build := exec.Command("go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", path, "./lambdas/"+function)
			build.Dir, build.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0")
			if strings.HasPrefix(runtime.Version(), "go1.26") {
				build.Env = append(build.Env, "GOEXPERIMENT=jsonv2")
			}
			if out, err := build.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			driver := runtimeapi.NewDriver()
			defer driver.Close()
			for b.Loop() {
				process, err := driver.Start(b.Context(), runtimeapi.Command{Path: path, Env: environment})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				process.Kill()
				<-process.Exited()
				b.StartTimer()
			}
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		})
	}
}
