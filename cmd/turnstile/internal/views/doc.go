// Package views prints for people what commands found: how it stands, as lines and tables.
// What it prints is on its way to a terminal: text of users is escaped.
package views
