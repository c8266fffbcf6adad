// Package doctor checks the settings of a deployed stack: whether each is what Turnstile needs, and
// whether they are consistent. It makes no requests to AWS: callers pass it the settings.
package doctor
