package cli

import (
	"context"
)

// Stopped forgets an error that is only the end of ctx.
func Stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
