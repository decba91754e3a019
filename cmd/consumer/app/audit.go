package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Audited does a change that has been agreed to, and says who did it, to what, how much and
// when: do returns the number of things (keys, letters) that it has changed, also beside an
// error. log.audit_file gets a line before the change and one after it; nothing is changed
// where it cannot be written.
func (a *App) Audited(c *config.Config, command, things string, do func() (int64, error)) error {
	who, host := operator()
	head := []slog.Attr{
		slog.Bool("audit", true), slog.String("command", command), slog.String("user", who), slog.String("host", host),
		slog.String("group", c.Kafka.Group), slog.String("topic", c.Kafka.Input),
	}
	if err := appendAudit(c.Log.AuditFile, slog.LevelInfo, "command begins", head); err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	count, err := do()
	tail, level, how := append(head, slog.Int64(things, count)), slog.LevelInfo, ""
	if err != nil {
		tail, level, how = append(tail, slog.Any("error", err)), slog.LevelError, ", failed"
	}
	a.Printf("audit: %s %s@%s: %s, group %s, topic %s: %s%s",
		time.Now().UTC().Format(time.RFC3339), who, host, command, c.Kafka.Group, c.Kafka.Input, cli.Plural(count, strings.TrimSuffix(things, "s")), how)
	if werr := appendAudit(c.Log.AuditFile, level, "command ended", tail); werr != nil && err == nil {
		return fmt.Errorf("%s has ended well, but its line is missing: %w", command, werr)
	}
	return err
}

// operator returns the user of the operating system and the host.
func operator() (who, host string) {
	who = "uid " + strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil && u.Username != "" {
		who = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return who, host
}

// appendAudit appends one line of JSON to a file; an empty name is none.
func appendAudit(name string, level slog.Level, msg string, attrs []slog.Attr) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log.audit_file: %w", err)
	}
	defer func() {
		if cerr := file.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("log.audit_file: %w", cerr)
		}
	}()
	line := slog.NewRecord(time.Now(), level, msg, 0)
	line.AddAttrs(attrs...)
	if err := slog.NewJSONHandler(file, nil).Handle(context.Background(), line); err != nil {
		return fmt.Errorf("log.audit_file: %w", err)
	}
	return nil
}
