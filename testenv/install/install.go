//go:build unix

// Package install brings the programs that the tests need onto a machine
// that lacks them: Debian packages where this process may install them,
// and folders in the user's cache.
package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Installer holds the machine-wide lock under which everything is installed,
// so that test binaries that run side by side do not do it twice.
type Installer struct {
	cache string
	lock  *os.File
	logf  func(string, ...any)
}

// New waits for the lock. A nil logf writes to os.Stderr. The caller closes
// the installer.
func New(ctx context.Context, logf func(string, ...any)) (*Installer, error) {
	if logf == nil {
		logf = func(format string, args ...any) { fmt.Fprintf(os.Stderr, "testenv: "+format+"\n", args...) }
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Installer{cache: cache, lock: lock, logf: logf}, ctx.Err()
}

// cacheDir is where folders are kept between runs. A service without a
// home has no cache of its own and takes the temporary folder.
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = filepath.Join(os.TempDir(), "cache-"+strconv.Itoa(os.Getuid()))
	}
	dir := filepath.Join(base, "credence")
	return dir, os.MkdirAll(dir, 0o700)
}

// Close releases the lock.
func (i *Installer) Close() error { return i.lock.Close() }

// Program returns the path of a program and installs its Debian packages when
// it is missing.
func (i *Installer) Program(ctx context.Context, name string, packages ...string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if err := i.Packages(ctx, packages...); err != nil {
		return "", fmt.Errorf("%s is missing: %w", name, err)
	}
	return exec.LookPath(name)
}

// Packages installs Debian packages. Without the right to do so it says what
// the user can do.
func (i *Installer) Packages(ctx context.Context, packages ...string) error {
	want := strings.Join(packages, " ")
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Getuid() != 0 {
		return fmt.Errorf("install %s with your system's package manager (as root on Debian this is done for you)", want)
	}
	i.logf("installing %s", want)
	args := append([]string{"--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "install"}, packages...)
	if i.Run(ctx, apt, args...) == nil {
		return nil
	}
	// The lists may be old or not there yet.
	if err := i.Run(ctx, apt, "-o", "DPkg::Lock::Timeout=300", "update"); err != nil {
		return err
	}
	return i.Run(ctx, apt, args...)
}

// Run runs a program without input; a failure carries the end of its output.
func (i *Installer) Run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1") // RUNLEVEL: start no service
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out[max(0, len(out)-1500):])
	}
	return nil
}

// Folder returns the cache folder of this name. When it is not there, fill is
// called on an empty one, which takes the name only if fill succeeds.
func (i *Installer) Folder(name string, fill func(dir string) error) (string, error) {
	dir := filepath.Join(i.cache, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	i.logf("filling %s, once", dir)
	unfinished, err := os.MkdirTemp(i.cache, "unfinished-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // gone already after success
	if err := fill(unfinished); err != nil {
		return "", fmt.Errorf("fill %s: %w", name, err)
	}
	return dir, os.Rename(unfinished, dir)
}
