// Package api is the JSON of Turnstile: what the console's HTTP API answers and
// takes, and what the command line prints with --output json. Both are made of
// the types of this package, so that a program which reads the one can read the
// other. console/openapi.json describes the same, for other languages.
//
// Names are snake_case. Times are RFC 3339 in UTC, in whole milliseconds. What is
// zero is left out, but for the fields that always stand.
package api
