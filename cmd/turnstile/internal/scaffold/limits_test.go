package scaffold

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is measured is what IAM counts, but for a few commas.
func TestAPolicyIsMeasuredAsJSON(t *testing.T) {
	t.Parallel()
	const part = `        Version: "2012-10-17"
        Statement:
          - Sid: Receive # to work
            Effect: Allow
            Action:
              - sqs:ReceiveMessage
              - sqs:DeleteMessage
            Resource:
              - !GetAtt ActivityQueue.Arn
              - !GetAtt GpuQueue.Arn
          # Not always.
          - !If
            - HasKmsKey
            - Sid: Encryption
              Effect: Allow
              Action: kms:Decrypt
              Resource: !Ref KmsKeyArn
              Condition:
                StringEquals:
                  kms:ViaService: !Sub sqs.${AWS::Region}.${AWS::URLSuffix}
            - !Ref AWS::NoValue
`
	const prefix = "arn:aws:sqs:ap-southeast-1:123456789012:shop-"
	said := map[string]any{"Version": "2012-10-17", "Statement": []any{
		map[string]any{"Sid": "Receive", "Effect": "Allow", "Action": []string{"sqs:ReceiveMessage", "sqs:DeleteMessage"},
			"Resource": []string{prefix + "ActivityQueue-1A2B3C4D5E6F", prefix + "GpuQueue-1A2B3C4D5E6F"}},
		map[string]any{"Sid": "Encryption", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": "arn:aws:kms:ap-southeast-1:123456789012:key/12345678-1234-1234-1234-123456789012",
			"Condition": map[string]any{"StringEquals": map[string]string{"kms:ViaService": "sqs.ap-southeast-1.amazonaws.com"}}},
	}}
	text, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	got, want := measure{len("shop")}.policy(strings.Split(part, "\n")), len(text)
	if got < want || got > want+want/20 {
		t.Errorf("it is measured as %d characters, and has %d", got, want)
	}
}

func TestVariablesAreMeasuredWithTheirNames(t *testing.T) {
	t.Parallel()
	lines := strings.Split(`          TURNSTILE_TOKEN_KEY: "1"
          TURNSTILE_ACTIVITY_QUEUE_URL: !Ref ActivityQueue # its own
          TURNSTILE_ACTIVITY_QUEUES: !Sub "default=${ActivityQueue.QueueName} gpu=${GpuQueue.QueueName}"
          TURNSTILE_ENVIRONMENT: !If [HasEnvironment, !Ref Environment, !Ref AWS::StackName]
`, "\n")
	want := len("TURNSTILE_TOKEN_KEY"+"1") +
		len("TURNSTILE_ACTIVITY_QUEUE_URL"+"https://sqs.ap-southeast-1.amazonaws.com/123456789012/shop-ActivityQueue-1A2B3C4D5E6F") +
		len("TURNSTILE_ACTIVITY_QUEUES"+"default=shop-ActivityQueue-1A2B3C4D5E6F gpu=shop-GpuQueue-1A2B3C4D5E6F") +
		len("TURNSTILE_ENVIRONMENT") + parameter
	if got := (measure{len("shop")}).variables(lines); got != want {
		t.Errorf("they are measured as %d bytes, want %d", got, want)
	}
}
