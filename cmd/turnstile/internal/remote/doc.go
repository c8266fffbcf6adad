// Package remote is a client for the API of a console (console/api): the console of a running `turnstile
// dev`, or a console in this process.
package remote
