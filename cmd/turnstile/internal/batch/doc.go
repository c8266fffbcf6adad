// Package batch takes one action on many instances at a limited rate. It writes the list of
// instances to a file first, so that an interrupted batch can continue.
package batch
