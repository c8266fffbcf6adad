package awslambda

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/internal/keyring"
)

// shape describes a valid value of a variable. It rejects values that are certainly wrong, such as an
// ARN instead of a URL; whether the resource exists shows at the first call.
type shape struct {
	want string
	ok   func(value string) bool
}

var (
	tableName = shape{
		want: "the name of a DynamoDB table, such as turnstile-HistoryTable-1ABC2DEF",
		ok:   matching(`^[A-Za-z0-9_.-]{3,255}$`),
	}
	roleID = shape{
		want: "the unique id of a role (GetAtt ActivityRole.RoleId), such as AROA1234567890EXAMPLE",
		ok:   matching(`^[A-Z0-9]{16,128}$`),
	}
	truth    = shape{want: "true or false", ok: matching(`^(true|false)$`)}
	tokenKey = shape{
		want: "the id of a key of the stack, 1 to 16 letters, digits, '-' and '_', such as 1",
		ok:   func(v string) bool { return keyring.CheckID(v) == nil },
	}
	fifoQueueURL = shape{
		want: "the URL of a FIFO queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo",
		ok:   func(v string) bool { return isQueueURL(v) && strings.HasSuffix(v, ".fifo") },
	}
	standardQueueURL = shape{
		want: "the URL of a standard queue (no .fifo), such as https://sqs.eu-central-1.amazonaws.com/123456789012/delay",
		ok:   func(v string) bool { return isQueueURL(v) && !strings.HasSuffix(v, ".fifo") },
	}
	fifoQueueARN = shape{
		want: "the ARN of a FIFO queue, such as arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo",
		ok:   matching(`^arn:[a-z-]+:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+\.fifo$`),
	}
	standardQueueARN = shape{
		want: "the ARN of a standard queue (no .fifo), such as arn:aws:sqs:eu-central-1:123456789012:delay",
		ok:   matching(`^arn:[a-z-]+:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$`),
	}
	roleARN = shape{
		want: "the ARN of a role, such as arn:aws:iam::123456789012:role/turnstile-SchedulerRole-1ABC2DEF",
		ok:   matching(`^arn:[a-z-]+:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$`),
	}
	keyARN = shape{
		want: "the ARN of a KMS key, such as arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
		ok:   matching(`^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$`),
	}
	bucketName = shape{
		want: "the name of an S3 bucket, without s3:// and without a path, such as acme-turnstile-archive",
		ok:   matching(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`),
	}
	accountID = shape{
		want: "the 12 digits of an AWS account",
		ok:   matching(`^[0-9]{12}$`),
	}
	keyPrefix = shape{
		want: "a prefix of object names, made of letters, digits and / _ . = -, that ends with a slash and does not begin with one, such as prod/",
		ok:   matching(`^[A-Za-z0-9_.=-][A-Za-z0-9/_.=-]{0,398}/$`),
	}
	eventBus = shape{
		want: "the ARN of an event bus, such as arn:aws:events:eu-central-1:123456789012:event-bus/default",
		ok:   matching(`^arn:[a-z-]+:events:[a-z0-9-]+:[0-9]{12}:event-bus/[A-Za-z0-9._/-]{1,256}$`),
	}
	scheduleGroup = shape{
		want: "the name of an EventBridge Scheduler group, such as turnstile-ScheduleGroup-1ABC2DEF",
		ok:   matching(`^[A-Za-z0-9_.-]{1,64}$`),
	}
	logLevel = shape{
		want: "debug, info, warn or error",
		ok:   matching(`^(?i:debug|info|warn|error)$`),
	}
	dimension = shape{
		want: "1 to 128 letters, digits, '-' and '_', such as production",
		ok:   matching(`^[A-Za-z0-9_-]{1,128}$`),
	}
)

func matching(pattern string) func(string) bool {
	// Compiled on use, because a package has no init that does work.
	return func(value string) bool { return regexp.MustCompile(pattern).MatchString(value) }
}

func isQueueURL(v string) bool {
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return false
	}
	return strings.Trim(u.Path, "/") != ""
}
