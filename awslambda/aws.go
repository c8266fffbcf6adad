package awslambda

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// functionConfig returns the configuration of a Lambda function's clients. Lambda passes everything in
// environment variables, including AWS_ENDPOINT_URL and related ones, so the other sources of
// config.LoadDefaultConfig (profiles, single sign-on, instance metadata) are not linked in.
func functionConfig() (aws.Config, error) {
	env, err := config.NewEnvConfig()
	if err != nil {
		return aws.Config{}, fmt.Errorf("awslambda: reading the AWS environment variables: %w", err)
	}
	if env.Region == "" {
		return aws.Config{}, errNoRegion
	}
	cfg := aws.Config{
		Region:      env.Region,
		Credentials: credentials.StaticCredentialsProvider{Value: env.Credentials},
		HTTPClient:  functionHTTP(),
		Retryer:     functionRetryer,
		// The services read their own variables from it, such as AWS_ENDPOINT_URL_SQS.
		ConfigSources: []any{env},
	}
	if env.BaseEndpoint != "" && !aws.ToBool(env.IgnoreConfiguredEndpoints) {
		cfg.BaseEndpoint = aws.String(env.BaseEndpoint)
	}
	return cfg, nil
}

// functionRetryer gives up within seconds, because an invocation has one minute and returning a message
// to the queue is the better retry. (The store repeats its writes itself.)
func functionRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 5
		o.MaxBackoff = 2 * time.Second
	})
}

// functionHTTP limits each step of a call. The connections of a function that was frozen may be dead
// without the function knowing.
func functionHTTP() aws.HTTPClient {
	return awshttp.NewBuildableClient().
		WithTimeout(15 * time.Second).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = 3 * time.Second }).
		WithTransportOptions(func(t *http.Transport) {
			t.TLSHandshakeTimeout = 3 * time.Second
			t.ResponseHeaderTimeout = 5 * time.Second
			t.MaxIdleConnsPerHost = 32
			t.IdleConnTimeout = time.Minute
		})
}

// serviceConfig returns the configuration of a client outside Lambda: whatever the SDK finds.
func serviceConfig(ctx context.Context) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return aws.Config{}, fmt.Errorf("awslambda: loading the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return aws.Config{}, errNoRegion
	}
	return cfg, nil
}
