package vec

// Levels makes of standard normals z draws of a level: at + r (mu - at) + sd z, entry by entry. Every
// product is rounded.
//
// It replaces a loop, a third of its time (BenchmarkLevels).
func Levels(z, r, mu, sd []float64, at float64) {
	r, mu, sd = r[:len(z)], mu[:len(z)], sd[:len(z)]
	for i := levelVectors(z, r, mu, sd, at); i < len(z); i++ {
		z[i] = at + float64(r[i]*(mu[i]-at)) + float64(sd[i]*z[i])
	}
}
