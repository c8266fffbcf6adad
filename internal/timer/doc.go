// Package timer is the interface to a service that delivers a message at a
// given time, days or months ahead.
package timer
