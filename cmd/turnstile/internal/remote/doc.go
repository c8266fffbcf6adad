// Package remote speaks to instances by the API of a console (console/api): that of
// a running `turnstile dev`, or one that is made in this process over a client.
package remote
