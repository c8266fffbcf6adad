package awslambda

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// These set variables of the process, so they do not run side by side.

func TestAFunctionTakesItsAWSConfigurationFromTheEnvironmentAlone(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "token")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
	t.Setenv("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9324")
	cfg, err := functionConfig()
	if err != nil {
		t.Fatal(err)
	}
	c, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil || c.AccessKeyID != "id" || c.SessionToken != "token" {
		t.Errorf("credentials are %+v, %v", c, err)
	}
	if cfg.Region != "eu-central-1" {
		t.Errorf("region is %q", cfg.Region)
	}
	if o := dynamodb.NewFromConfig(cfg).Options(); o.BaseEndpoint == nil || *o.BaseEndpoint != "http://127.0.0.1:4566" {
		t.Errorf("DynamoDB is at %v", o.BaseEndpoint)
	}
	if o := awssqs.NewFromConfig(cfg).Options(); o.BaseEndpoint == nil || *o.BaseEndpoint != "http://127.0.0.1:9324" {
		t.Errorf("SQS is at %v, want its own endpoint", o.BaseEndpoint)
	}
	t.Setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
	if cfg, err = functionConfig(); err != nil || cfg.BaseEndpoint != nil {
		t.Errorf("the endpoint is %v, %v although endpoints are to be ignored", cfg.BaseEndpoint, err)
	}
}

func TestWithoutARegionNothingStarts(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_PROFILE", "")
	if _, err := functionConfig(); !errors.Is(err, errNoRegion) {
		t.Errorf("a function's error is %v", err)
	}
	if _, err := serviceConfig(t.Context()); !errors.Is(err, errNoRegion) {
		t.Errorf("a service's error is %v", err)
	}
}
