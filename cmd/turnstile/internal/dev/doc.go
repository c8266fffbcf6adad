// Package dev runs a program during development. It builds and starts the program, rebuilds and
// restarts it when a source file changes, and restarts it after a crash.
package dev

// Data is the folder of a project's database, in the project.
const Data = ".turnstile"
