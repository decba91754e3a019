package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Command is how somebody types one of the programs that ship together, as a word of a
// shell: by the folder that this one was started from, if it was by its path.
func Command(program string) string { return commandOf(os.Args[0], program) }

func commandOf(self, program string) string {
	folder, name := filepath.Split(self)
	name, exe := strings.CutSuffix(name, ".exe")
	if !slices.Contains([]string{"consumer", "producer"}, name) || folder == "" {
		return program
	}
	if exe {
		program += ".exe"
	}
	return Quote(folder + program)
}
