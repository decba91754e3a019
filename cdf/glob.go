package cdf

// Glob reports whether the whole name matches the pattern: `*` is any run of
// characters without '/', `**` any run, everything else is itself.
func Glob(pattern, name string) bool {
	// reach[j]: the pattern so far matches name[:j].
	reach := make([]bool, len(name)+1)
	reach[0] = true
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '*' {
			for j := len(name); j > 0; j-- {
				reach[j] = reach[j-1] && name[j-1] == pattern[i]
			}
			reach[0] = false
			continue
		}
		deep := i+1 < len(pattern) && pattern[i+1] == '*'
		if deep {
			i++
		}
		for j := 1; j <= len(name); j++ {
			reach[j] = reach[j] || reach[j-1] && (deep || name[j-1] != '/')
		}
	}
	return reach[len(name)]
}
