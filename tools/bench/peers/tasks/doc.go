// Package tasks has the eight tasks of docs/guide/tasks_test.go as they are
// written with the SDKs of others: temporal, dbos and aws. The functions have
// the names that ours have there, and each file declares at its top what its
// functions share. docs/guide counts the lines of all and compares them.
//
// The module stands outside of go.work, so that nothing else gets what it needs.
// Its tests run the tasks of Temporal and of DBOS:
//
//	GOWORK=off go -C tools/bench/peers/tasks test ./...
//
// The SDK of AWS is not in every registry. The tasks for it are compiled against
// awssdk, which declares what they use of it as its source has it and does nothing.
// Without the replace line of go.mod they are compiled against the SDK itself.
package tasks
