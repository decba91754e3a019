package wheel

import (
	"fmt"
	"regexp"
	"strings"
)

// described is what `git describe --tags --always --dirty` prints of a commit
// that has a tag before it.
var described = regexp.MustCompile(`^v?(\d+(?:\.\d+)*)(?:-(\d+)-g([0-9a-f]+))?(-dirty)?$`)

// Version says as Python writes versions (PEP 440) what git describes a commit as:
// v1.2.3 is 1.2.3, five commits later 1.2.3.post5+gCOMMIT, and one without any tag
// before it 0.0.0+gCOMMIT.
func Version(git string) string {
	m := described.FindStringSubmatch(git)
	if m == nil || !strings.Contains(m[1], ".") { // a commit's digits may all be decimal
		commit, dirty := strings.CutSuffix(git, "-dirty")
		return "0.0.0+g" + commit + changed(dirty, ".")
	}
	version, later, commit, dirty := m[1], m[2], m[3], m[4] != ""
	if later == "" {
		return version + changed(dirty, "+")
	}
	return fmt.Sprintf("%s.post%s+g%s%s", version, later, commit, changed(dirty, "."))
}

func changed(dirty bool, sep string) string {
	if dirty {
		return sep + "dirty"
	}
	return ""
}
