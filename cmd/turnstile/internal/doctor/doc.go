// Package doctor judges the settings of a deployed stack: whether each is what
// Turnstile needs, and whether they fit together. It asks nobody: it is given what
// was found.
package doctor
