package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

func TestAFileWithoutItsFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	needs := func() *cobra.Command {
		cmd := &cobra.Command{Use: "replay"}
		cmd.Flags().String("ca", "", "trust the certificates in `FILE`")
		cmd.Flags().String("input", "", "read `FILE` (required)")
		return cmd
	}
	may := &cobra.Command{Use: "init"}
	may.Flags().String("input", "", "read rows from `FILE`")
	has := needs()
	if err := has.Flags().Set("input", file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cmd       *cobra.Command
		arg, want string
	}{
		{needs(), file, `unexpected argument "` + file + `": a file is given as --input ` + file},
		{needs(), file + ".not", `unexpected argument "` + file + `.not"`},
		{may, file, `unexpected argument "` + file + `": a file is given as --input ` + file},
		{has, file, `unexpected argument "` + file + `"`},
	} {
		if err := NoArguments(c.cmd, []string{c.arg}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
