package modeltest

import (
	"runtime"
	"sync"
)

// EachStream runs work for each of so many streams, as many at a time as there are cores.
func EachStream(streams int, work func(s int)) {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			for s := worker; s < streams; s += workers {
				work(s)
			}
		})
	}
	group.Wait()
}
