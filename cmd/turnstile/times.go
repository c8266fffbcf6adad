package main

import (
	"strconv"
	"strings"
	"time"
)

// timeForms lists the formats of a time, for flag texts.
const timeForms = "24h or 7d ago, yesterday, 2026-01-31 (UTC), 2026-01-31T12:00:00Z"

// parseTime parses a time: a duration before now (90m, 24h, 7d), the start of a date, of today or
// of yesterday in UTC, or an RFC 3339 time. It returns the zero time for an empty value.
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
	return time.Time{}, usagef("--%s %q: must be 90m, 24h or 7d (ago), today, yesterday, a date like 2026-01-31, or 2026-01-31T12:00:00Z", flag, value)
}
