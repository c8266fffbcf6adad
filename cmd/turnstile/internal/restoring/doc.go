// Package restoring restores the tables of a stack to an earlier time.
package restoring
