package embedded

import "github.com/twmb/franz-go/pkg/kfake"

// logIn has the broker keep its log in memory: kfake renames files while it has them
// open, which Windows refuses.
func logIn(string) []kfake.Opt { return nil }
