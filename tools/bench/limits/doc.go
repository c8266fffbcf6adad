// Package limits measures what Limit and Rate let through on Lambda, and what that costs: the worker's
// own code in the virtual time of testing/synctest, on an event source, an SQS queue and a DynamoDB table
// that are modelled and counted.
//
//	go -C tools/bench test ./limits -run LimitsOnLambda -v
package limits
