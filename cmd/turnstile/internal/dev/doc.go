// Package dev keeps a program running while somebody works on it: it is built
// and started, built and started again when one of its files changes, and
// started again when it dies.
package dev
