package run

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// opener returns the command that shows an address in the user's browser.
func opener(system, address string) []string {
	switch system {
	case "darwin":
		return []string{"open", address}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	default:
		return []string{"xdg-open", address}
	}
}

// openBrowser shows an address in the user's browser. That there is none is no
// failure: the address is printed as well.
func openBrowser(ctx context.Context, address string) {
	words := opener(runtime.GOOS, address)
	// Some openers stay until the browser ends.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	if cmd.Start() != nil {
		cancel()
		return
	}
	go func() {
		defer cancel()
		_ = cmd.Wait() // whatever it says
	}()
}

// wantsBrowser reports whether somebody sits there who would see a browser
// open.
func wantsBrowser(terminal bool, env []string) bool {
	set := func(name string) bool {
		return slices.ContainsFunc(env, func(v string) bool {
			value, ok := strings.CutPrefix(v, name+"=")
			return ok && value != "" && value != "false"
		})
	}
	return terminal && !set("CI") && !set("SSH_CONNECTION")
}
