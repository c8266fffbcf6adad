module github.com/aws/aws-durable-execution-sdk-go

go 1.26.0
