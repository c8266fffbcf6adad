// Package sqlite keeps everything that package embedded needs in one SQLite
// database, so that it outlives the process: histories and records, messages,
// timers, keys.
package sqlite
