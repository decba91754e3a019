package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// noticeFile is what licences and what they ask to be passed on are in.
var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|authors)([-._].*)?$`)

// licenceFile is the part of them that no module may be without.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([-._].*)?$`)

// notices returns the licences and notices of every module that a binary has in it, and of
// Go itself, as they are in the module cache. A module without a licence is an error: what
// nobody permits is not released.
func notices(ctx context.Context, root, path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	goroot, err := output(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s contains these modules, each under its own licence.\n", binary)
	all := linked(info)
	if err := appendNotices(&b, "Go "+all[0].Version, goroot); err != nil {
		return nil, err
	}
	for _, m := range all[1:] {
		folder, err := output(ctx, root, "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		if err := appendNotices(&b, m.Path+" "+m.Version, folder); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// appendNotices adds the notices in a folder.
func appendNotices(b *strings.Builder, title, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	licensed := false
	for _, e := range entries {
		if e.IsDir() || !noticeFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		licensed = licensed || licenceFile.MatchString(e.Name())
		fmt.Fprintf(b, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 80), title, e.Name(), strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if readme, err := os.ReadFile(filepath.Join(folder, "README.md")); !licensed && err == nil {
		// Some have it at the end of their only text.
		if at := strings.Index(string(readme), "MIT License"); at >= 0 && strings.Contains(string(readme[at:]), "Permission is hereby granted") {
			licensed = true
			fmt.Fprintf(b, "\n%s\n%s, README.md\n\n%s\n", strings.Repeat("=", 80), title, strings.TrimSpace(string(readme[at:])))
		}
	}
	if !licensed {
		return fmt.Errorf("%s has no licence in %s: find out under which it may be passed on, or do without it", title, folder)
	}
	return nil
}

// output is what the go command prints.
func output(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(text)), err
}
