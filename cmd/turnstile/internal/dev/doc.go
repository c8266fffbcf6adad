// Package dev keeps a program running while somebody works on it: it is built
// and started, built and started again when one of its files changes, and
// started again when it dies.
package dev

// Data is the folder of a project's database, in the project.
const Data = ".turnstile"
