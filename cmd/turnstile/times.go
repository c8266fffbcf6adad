package main

import (
	"strconv"
	"strings"
	"time"
)

// timeForms are the forms of a time, for the text of a flag.
const timeForms = "24h or 7d ago, yesterday, 2026-01-31 (UTC), 2026-01-31T12:00:00Z"

// parseTime reads a time: how long ago (90m, 24h, 7d), a date, today or yesterday (UTC, from its
// begin), or a time by RFC 3339.
func parseTime(flag, value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if value == "today" || value == "yesterday" {
		y, m, d := now.UTC().Date()
		if value == "yesterday" {
			d--
		}
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC), nil
	}
	if days, isDays := strings.CutSuffix(value, "d"); isDays {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(value); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--%s %q is not a time: 90m, 24h or 7d ago, today, yesterday, a date like 2026-01-31, or 2026-01-31T12:00:00Z", flag, value)
}
