package main

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"
)

// row is one figure: median, smallest and largest of its repetitions.
type row struct {
	Name        string  `json:"name"`
	Unit        string  `json:"unit"`
	Median      float64 `json:"median"`
	Min         float64 `json:"min"`
	Max         float64 `json:"max"`
	Repetitions int     `json:"repetitions"`
}

// sizes says how much is measured; every loop in this program is bounded by one of them.
type sizes struct {
	repetitions int
	operations  int
	// exclusions a request names.
	exclusions []int
	// live pairs in a pool whose every other pair was given back.
	fragments   []int
	healClients []int
	// addresses held in the go-ipam prefix.
	goIpamHeld []int
	memoryOf   int
}

var (
	full     = sizes{7, 200, []int{0, 100, 1000}, []int{1_000, 10_000, 30_000}, []int{1_000, 10_000}, []int{100, 1_000}, 20_000}
	short    = sizes{3, 40, []int{0, 100, 1000}, []int{1_000, 10_000}, []int{1_000, 3_000}, []int{100, 1_000}, 5_000}
	smallest = sizes{2, 3, []int{0, 10}, []int{20}, []int{20}, []int{10}, 100}
)

// perOperation times `operations` calls of `call`, `repetitions` times, and gives nanoseconds a call.
// `reset` runs between repetitions, outside the timing. The first repetition warms up and is not counted.
func perOperation(name string, size sizes, call func(int), reset func()) row {
	samples := make([]float64, 0, size.repetitions)
	for repetition := 0; repetition <= size.repetitions; repetition++ {
		start := time.Now()
		for i := range size.operations {
			call(i)
		}
		spent := time.Since(start)
		if repetition > 0 {
			samples = append(samples, float64(spent.Nanoseconds())/float64(size.operations))
		}
		reset()
	}
	return summary(name, "ns", samples)
}

func summary(name, unit string, samples []float64) row {
	slices.Sort(samples)
	middle := len(samples) / 2
	median := samples[middle]
	if len(samples)%2 == 0 {
		median = (samples[middle-1] + samples[middle]) / 2
	}
	return row{name, unit, median, samples[0], samples[len(samples)-1], len(samples)}
}

// must stops the program: a peer that refuses would otherwise be timed doing nothing.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "go peers:", err)
		os.Exit(1)
	}
	return value
}

// excludedPrefixes gives n /25 prefixes with a gap of 128 addresses behind each, from the start of the
// pool on: none of them merge, and the first grants have to step over them. bench/workload.ts makes the same.
func excludedPrefixes(n int) []string {
	texts := make([]string, n)
	for i := range n {
		texts[i] = netip.PrefixFrom(addressAt(uint32(i)*256), 25).String()
	}
	return texts
}

// addressAt is the address `offset` behind the start of the measured pool, 10.0.0.0/8.
func addressAt(offset uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(offset >> 16), byte(offset >> 8), byte(offset)})
}
