// Package search looks for runs that break an invariant: it makes every run of small
// scopes, shrinks a failed run to the smallest that still fails, and reads the corpus of
// earlier failures.
package search
