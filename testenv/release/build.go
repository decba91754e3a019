package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/testenv/release/wheel"
)

// binary is the program that is released, and links are the other names by which it is
// called: it is whichever program its name says.
const binary = "credence"

var links = []string{"consumer", "producer"}

// noticesName is the file with the licences of the modules in an archive and in an image.
const noticesName = "THIRD_PARTY_NOTICES.txt"

// source is the commit that is released.
type source struct {
	root     string
	version  string
	revision string    // the commit, as git names it
	time     time.Time // of the commit: the time of every file in an archive
}

// run builds everything from the sources in root into the folder out, which
// must not hold anything yet.
func run(ctx context.Context, root, out string, targets []string) error {
	s, err := describe(ctx, root)
	if err != nil {
		return err
	}
	if err := newFolder(out); err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "credence-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	var made []archive
	image := newImage(s)
	for _, t := range targets {
		a, err := s.target(ctx, t, bin, out, image)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		made = append(made, a)
	}
	if err := s.formula(made, out); err != nil {
		return err
	}
	if err := image.write(out); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return sums(out)
}

// newFolder makes a folder if it is not there; one that holds something is refused.
func newFolder(dir string) error {
	if held, err := os.ReadDir(dir); err == nil && len(held) > 0 {
		return fmt.Errorf("%s is not empty: remove it, so that nothing of another build is released", dir)
	}
	return os.MkdirAll(dir, 0o755)
}

// describe asks git for the version and the time of the commit.
func describe(ctx context.Context, root string) (*source, error) {
	ask := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		text, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	version, err := ask("describe", "--tags", "--always", "--dirty")
	if err != nil {
		return nil, err
	}
	revision, err := ask("rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	text, err := ask("log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("time of the commit: %w", err)
	}
	return &source{root: root, version: version, revision: revision, time: time.Unix(seconds, 0).UTC()}, nil
}

// archive is one archive of the release.
type archive struct {
	system, processor string // as Go names them
	file              string // its name
}

// name is what everything for one system is called, up to what it is.
func (s *source) name(system, processor string) string {
	return fmt.Sprintf("credence_%s_%s_%s", s.version, system, processor)
}

// target builds, describes and packs the program for one system.
func (s *source) target(ctx context.Context, target, bin, out string, image *image) (archive, error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return archive{}, errors.New("not GOOS/GOARCH")
	}
	name, exe := s.name(system, processor), ""
	if system == "windows" {
		exe = ".exe"
	}
	path := filepath.Join(bin, name, binary+exe)
	if err := s.build(ctx, system, processor, path); err != nil {
		return archive{}, err
	}
	b, err := materials(path, binary, s.version)
	if err != nil {
		return archive{}, err
	}
	bill, err := b.text()
	if err != nil {
		return archive{}, err
	}
	if err := os.WriteFile(filepath.Join(out, name+"_"+binary+".cdx.json"), bill, 0o644); err != nil {
		return archive{}, err
	}
	w := wheel.Wheel{Root: s.root, Version: s.version, Target: target, Program: path, Time: s.time}
	if _, err := w.Write(out); err != nil {
		return archive{}, err
	}
	files := []file{{name: binary + exe, path: path, mode: 0o755}}
	for _, link := range links {
		files = append(files, file{name: link + exe, path: path, mode: 0o755, link: binary + exe})
	}
	for _, text := range []string{"LICENSE", "README.md"} {
		files = append(files, file{name: text, path: filepath.Join(s.root, text), mode: 0o644})
	}
	licences, err := notices(ctx, s.root, path)
	if err != nil {
		return archive{}, err
	}
	third := filepath.Join(bin, name, noticesName)
	if err := os.WriteFile(third, licences, 0o644); err != nil {
		return archive{}, err
	}
	files = append(files, file{name: noticesName, path: third, mode: 0o644})
	if system == "linux" {
		if err := image.add(ctx, processor, path, licences); err != nil {
			return archive{}, fmt.Errorf("image: %w", err)
		}
	}
	a := archive{system, processor, name + ".tar.gz"}
	pack := tarred
	if system == "windows" {
		a.file, pack = name+".zip", zipped
	}
	return a, writeTo(filepath.Join(out, a.file), func(w *os.File) error { return pack(w, name, files, s.time) })
}

// build compiles the program without anything of this machine in it.
func (s *source) build(ctx context.Context, system, processor, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=true", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", path, "./cmd/"+binary)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	if !slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.revision", Value: s.revision}) {
		return fmt.Errorf("%s does not say that it is of commit %s, so --version could not: build in a clone, not in a worktree", path, s.revision)
	}
	return nil
}

// sums writes SHA256SUMS, as sha256sum reads it.
func sums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), e.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
