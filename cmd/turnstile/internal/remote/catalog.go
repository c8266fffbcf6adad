package remote

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Catalog returns the console's catalog of the code.
func (c *Client) Catalog(ctx context.Context) (api.Catalog, error) {
	var got api.Catalog
	_, err := c.get(ctx, "catalog", nil, &got)
	return got, err
}

// CheckData checks data against a type of the code.
func (c *Client) CheckData(ctx context.Context, check api.Check) (api.Checked, error) {
	var got api.Checked
	err := c.post(ctx, "catalog/check", check, &got)
	return got, err
}
