package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// Command is how somebody types one of the programs that ship together, as a word of a
// shell: by the folder that this one was started from, if it was by its path.
func Command(program string) string { return commandOf(os.Args[0], program) }

func commandOf(self, program string) string {
	folder, _ := filepath.Split(self)
	if shipped(self) == "" || folder == "" {
		return program
	}
	if strings.HasSuffix(self, ".exe") {
		program += ".exe"
	}
	return Quote(folder + program)
}

// Called is the name by which this process was started, where it is the consumer's or the
// producer's, and else Single: one file may have all three names.
func Called() string { return calledBy(os.Args[0]) }

func calledBy(self string) string {
	if name := shipped(self); name != "" {
		return name
	}
	return Single
}

// shipped is the program that a path is of, "" where it is none of those that ship. The
// names of files have no case on Windows, where a shell passes what was typed.
func shipped(path string) string {
	name := strings.ToLower(filepath.Base(path))
	switch name = strings.TrimSuffix(name, ".exe"); name {
	case Apart().Consumer, Apart().Producer, Single:
		return name
	}
	return ""
}
