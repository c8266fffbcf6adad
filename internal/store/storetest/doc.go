// Package storetest is the test suite that every store passes: scenarios S-01 to S-16, including
// hostile ones. Each is a subtest named after its id. A backend's test calls Run with Options,
// which open an empty store and inject faults into its transport.
package storetest
