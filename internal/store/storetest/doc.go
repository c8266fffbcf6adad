// Package storetest is the test suite that every store passes: scenarios S-01 to S-16, including
// hostile ones, each a subtest named after its id. A backend's test calls Run with Options, which open
// an empty store and create the faults of its transport.
package storetest
