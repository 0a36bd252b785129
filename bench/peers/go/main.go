// Command peers measures the allocators Holdfast is compared with, in one process, and prints one JSON
// document: every row has a name, a unit and the median, smallest and largest of its repetitions.
//
// It calls the libraries as their users do and holds no code of theirs. bench/peers.ts runs it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

type report struct {
	Go      string            `json:"go"`
	Modules map[string]string `json:"modules"`
	Rows    []row             `json:"rows"`
	// Skipped names groups that did not fit into the time given, so that a missing row is never a silent one.
	Skipped []string `json:"skipped"`
}

func main() {
	quick := flag.Bool("quick", false, "small sizes and few repetitions")
	tiny := flag.Bool("tiny", false, "sizes that only show that everything runs")
	heal30k := flag.Bool("heal-30k", false, "also the heal storm of 30 000 clients (quadratic: minutes)")
	only := flag.String("only", "", "comma separated groups: ippool, fragmented, point2point, heal, go-ipam, memory")
	limit := flag.Duration("limit", 8*time.Minute, "start no further group after this time")
	flag.Parse()

	size := full
	switch {
	case *tiny:
		size = smallest
	case *quick:
		size = short
	}
	if *heal30k {
		size.healClients = append(size.healClients, 30_000)
	}

	groups := []struct {
		name string
		run  func(sizes) []row
	}{
		{"ippool", measureExclusions},
		{"fragmented", measureFragmented},
		{"point2point", measurePoint2Point},
		{"go-ipam", measureGoIpam},
		{"memory", measureMemory},
		{"heal", measureHeal},
	}
	wanted := map[string]bool{}
	for _, name := range strings.Split(*only, ",") {
		if name != "" {
			wanted[name] = true
		}
	}

	out := report{Go: runtime.Version(), Modules: modules(), Rows: []row{}, Skipped: []string{}}
	started := time.Now()
	for _, group := range groups {
		if len(wanted) > 0 && !wanted[group.name] {
			continue
		}
		if time.Since(started) > *limit {
			out.Skipped = append(out.Skipped, group.name)
			continue
		}
		fmt.Fprintf(os.Stderr, "go peers: %s\n", group.name)
		out.Rows = append(out.Rows, group.run(size)...)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, "go peers: cannot write the result:", err)
		os.Exit(1)
	}
}

// modules gives the versions of what is measured, as linked into this binary.
func modules() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, dependency := range info.Deps {
		switch dependency.Path {
		case "github.com/networkservicemesh/sdk", "github.com/networkservicemesh/api", "github.com/metal-stack/go-ipam":
			versions[dependency.Path] = dependency.Version
		}
	}
	return versions
}
