package run

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

const jsonLog = "json"

// newLogger returns a logger that writes in a form, lines of least and above.
func newLogger(w io.Writer, format string, least slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: least}
	if format == jsonLog {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// words says to people what is not of the log. Where the log is for programs to read, all
// that is said is a part of it.
type words struct {
	app  *app.App
	log  *slog.Logger
	json bool
}

func newWords(a *app.App, l *config.Log) words {
	var least slog.Level
	_ = least.UnmarshalText([]byte(l.Level)) // was checked
	return words{a, newLogger(a.Err, l.Format, least), l.Format == jsonLog}
}

// page says where the page is.
func (w words) page(url string) {
	if w.json {
		w.log.Info("listening", "url", url)
		return
	}
	w.app.Printf("the live page: %s", url)
}

func (w words) warning(text string) {
	if w.json {
		w.log.Warn("warning", "text", text)
		return
	}
	w.app.Printf("warning: %s", text)
}

func (w words) account(account fmt.Stringer) {
	if w.json {
		w.log.Info("ended", "account", account.String())
		return
	}
	w.app.Printf("%s", account)
}

// failed returns an error as the command does, which is told of where it is in the log.
func (w words) failed(err error) error {
	if !w.json || err == nil || errors.Is(err, cli.ErrReported) {
		return err
	}
	w.log.Error("failed", "error", err)
	return errors.Join(cli.ErrReported, err)
}
