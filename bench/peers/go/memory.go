package main

import (
	"fmt"
	"runtime"
)

// measureMemory gives the heap that NSM's chain element keeps for one connection, with the pool whole and
// with every other connection closed again. The connections themselves are not kept.
func measureMemory(size sizes) []row {
	ctx := quiet()
	server := newPoint2Point("10.0.0.0/8")
	before := heapBytes()
	for i := range size.memoryOf {
		must(server.Request(ctx, requestOf(clientName(i), nil)))
	}
	whole := float64(heapBytes()-before) / float64(size.memoryOf)
	for i := 0; i < size.memoryOf; i += 2 {
		must(server.Close(ctx, requestOf(clientName(i), nil).GetConnection()))
	}
	broken := float64(heapBytes()-before) / float64(size.memoryOf/2)
	runtime.KeepAlive(server)

	before = heapBytes()
	pool := fragmentedPool(size.memoryOf)
	perHole := float64(heapBytes()-before) / float64(size.memoryOf)
	runtime.KeepAlive(pool)

	return []row{
		summary("nsm.memory.p2p", "bytes", []float64{whole}),
		summary("nsm.memory.p2p-fragmented", "bytes", []float64{broken}),
		summary("nsm.memory.pool-hole", "bytes", []float64{perHole}),
	}
}

func clientName(i int) string { return fmt.Sprintf("client-%08d", i) }

// heapBytes collects first, twice: the second run frees what finalizers of the first let go.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
