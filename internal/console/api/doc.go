// Package api defines the JSON of Turnstile: the requests and responses of the console's HTTP API,
// and what the command line prints with --output json. Both use the types of this package, so that
// a program that reads one can read the other. console/openapi.json describes the same types for
// other languages.
//
// Names are snake_case. Times are RFC 3339 in UTC, in whole milliseconds. Zero values are omitted,
// except for fields that are always present.
package api
