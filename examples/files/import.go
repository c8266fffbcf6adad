package main

import (
	"fmt"

	"github.com/turnstile-go/turnstile"
)

// importAll converts every file of a delivery, several at a time, and publishes the tables
// together. If that fails, or is cancelled, it removes all tables.
func importAll(ctx turnstile.Context, d Delivery) (Report, error) {
	names, err := List.Call(ctx, d.Folder)
	if err != nil {
		return Report{}, err
	}
	limit := d.Limit
	if limit == 0 {
		limit = 4
	}

	var saga turnstile.Saga
	tables, err := turnstile.Map(ctx, names, limit, func(ctx turnstile.Context, name string) (Table, error) {
		file := File{Folder: d.Folder, Name: name}
		// Added before the step, because a conversion that times out may have written its table.
		turnstile.Undo(&saga, name, Remove.Call, file)
		return Convert.Call(ctx, file)
	}, turnstile.TolerateFailures(d.Tolerate))
	if err != nil {
		return Report{}, saga.Compensate(ctx, fmt.Errorf("importing %s: %w", d.Folder, err))
	}

	report := Report{Folder: d.Folder}
	for i, table := range tables {
		if table == (Table{}) {
			report.Skipped = append(report.Skipped, names[i])
			continue
		}
		report.Tables = append(report.Tables, table)
	}
	if _, err := Publish.Call(ctx, report); err != nil {
		return Report{}, saga.Compensate(ctx, fmt.Errorf("publishing %s: %w", d.Folder, err))
	}
	return report, nil
}
