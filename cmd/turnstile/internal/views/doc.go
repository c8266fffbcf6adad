// Package views prints the results of commands for people, as lines and tables. Because the output
// goes to a terminal, it escapes texts of users.
package views
