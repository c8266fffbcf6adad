package awslambda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/archive/s3"
)

// asked is a bucket that counts how often it is looked at.
type asked struct {
	err   error
	times int
}

func (a *asked) Check(context.Context) error { a.times++; return a.err }

// A bucket that is not there shows at the first invocation, in the log and as what needs a
// person. What S3 could not, or would not, say needs none.
func TestTheBucketOfTheArchiveIsLookedAtOnceAProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		err            error
		level, says    string
		needsAttention bool
	}{
		{name: "it is there"},
		{name: "it is not", err: &s3.Error{Bucket: "acme-archive", Advice: "there is no such bucket; make it", Err: errors.New("NotFound")},
			level: "ERROR", says: `retention purges no instance`, needsAttention: true},
		{name: "the role may not ask", err: &s3.Error{Bucket: "acme-archive", Advice: "access is denied; check the role", Denied: true, Err: errors.New("Forbidden")},
			level: "WARN", says: "run turnstile doctor"},
		{name: "S3 does not answer", err: &s3.Error{Bucket: "acme-archive", Err: context.DeadlineExceeded}, level: "WARN", says: "could not check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log, metrics bytes.Buffer
			o := options{out: &metrics}
			m := o.metricsOf(Config{Environment: "prod"}, "orchestrator")
			bucket := &asked{err: tt.err}
			c := &archiveCheck{bucket: bucket, metrics: m, logger: slog.New(slog.NewJSONHandler(&log, nil))}
			for range 2 {
				m.Start()
				c.start(t.Context())()
				m.End()
			}
			m.Flush()
			if bucket.times != 1 {
				t.Errorf("it was asked %d times", bucket.times)
			}
			if attention := strings.Contains(metrics.String(), `"Attention":1`); attention != tt.needsAttention {
				t.Errorf("it needs a person: %v; the metrics are %s", attention, metrics.String())
			}
			if tt.err == nil {
				if log.Len() != 0 {
					t.Errorf("the log is %s", log.String())
				}
				return
			}
			var line struct{ Level, Msg, Error string }
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatalf("not one line: %v: %s", err, log.String())
			}
			if line.Level != tt.level || !strings.Contains(line.Msg, tt.says) || line.Error != tt.err.Error() {
				t.Errorf("the line is %+v", line)
			}
		})
	}
	(*archiveCheck)(nil).start(t.Context())()
}
