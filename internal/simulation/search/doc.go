// Package search looks for runs that break an invariant: it makes every run of small
// scopes, shrinks a run that failed to the least that still fails, and reads the corpus
// of those that once failed.
package search
