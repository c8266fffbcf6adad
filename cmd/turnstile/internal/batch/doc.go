// Package batch does one thing to many instances: at a bounded rate, and so that
// what was interrupted can go on where it was, for what is to be done stands in a
// file before anything is.
package batch
