package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// lockFile is the one place of digests, below the root of the repository.
const lockFile = "deploy/images.lock"

// unresolved is in the place of a digest that nobody has looked up.
const unresolved = "unresolved"

const lockHead = `# The images of others that this repository names, and the digests that a registry had for
# them. Written by "make digests"; read by testenv/compose/prepare, which takes an image by
# its digest. "unresolved": no registry has been asked yet, and the tag decides.
`

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// readLock returns the digests by reference, "" of one that is unresolved.
func readLock(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lock := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		ref, digest, _ := strings.Cut(line, " ")
		if digest == unresolved {
			digest = ""
		} else if !digestForm.MatchString(digest) {
			return nil, fmt.Errorf("%s, line %d: %q is neither a digest (sha256: and 64 digits) nor %q: make digests writes this file", path, i+1, digest, unresolved)
		}
		if _, twice := lock[ref]; twice {
			return nil, fmt.Errorf("%s, line %d: %s is there twice", path, i+1, ref)
		}
		lock[ref] = digest
	}
	return lock, nil
}

// writeLock writes the digests of the references, in their order.
func writeLock(path string, refs []string, lock map[string]string) error {
	var b strings.Builder
	b.WriteString(lockHead)
	for _, ref := range refs {
		digest := lock[ref]
		if digest == "" {
			digest = unresolved
		}
		fmt.Fprintf(&b, "%s %s\n", ref, digest)
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
