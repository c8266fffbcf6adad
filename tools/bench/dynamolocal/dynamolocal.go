// Package dynamolocal gives tests tables of their own on DynamoDB Local.
package dynamolocal

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/store/dynamo"
)

// Tables makes tables, whose names begin with the prefix, on the DynamoDB Local at
// TURNSTILE_DYNAMODB_ENDPOINT. The test is skipped, and says so, if that is not set.
func Tables(t *testing.T, prefix string) (*dynamodb.Client, dynamo.Config) {
	t.Helper()
	url := os.Getenv("TURNSTILE_DYNAMODB_ENDPOINT")
	if url == "" {
		t.Skip("NOT RUN: needs DynamoDB Local (TURNSTILE_DYNAMODB_ENDPOINT); `make test` starts it and runs this")
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	client := dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: aws.String(url), HTTPClient: &http.Client{Transport: transport, Timeout: 5 * time.Minute},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	prefix = fmt.Sprintf("%s-%d-%d-", prefix, os.Getpid(), time.Now().UnixNano())
	config := dynamo.Config{Tables: dynamo.Tables{History: prefix + "history", Instances: prefix + "instances", Activities: prefix + "activities", Keys: prefix + "keys"}}
	if err := dynamo.CreateTables(t.Context(), client, config); err != nil {
		t.Fatal(err)
	}
	return client, config
}
