// Package store is the interface to durable state: histories, to which turns
// are appended with a condition on the event id, and instance records.
// store/dynamo and store/memory implement it; store/storetest is the suite
// that every implementation passes.
package store
