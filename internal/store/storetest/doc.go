// Package storetest is the suite that every store passes: scenarios S-01 to
// S-16, hostile ones included, each a subtest that carries its id. A backend's
// test calls Run with a function that opens an empty store, and says in
// Options how the faults of its transport are made.
package storetest
