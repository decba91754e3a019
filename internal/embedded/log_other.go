//go:build !windows

package embedded

import "github.com/twmb/franz-go/pkg/kfake"

// logIn has the broker keep its log in the folder, also for short tests: in memory it
// would never be freed.
func logIn(dir string) []kfake.Opt { return []kfake.Opt{kfake.DataDir(dir)} }
