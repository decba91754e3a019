package run

import (
	"io"
	"log/slog"
)

func newLogger(w io.Writer, least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: least}))
}
