package main

import (
	"fmt"
	"math/rand"
	"time"

	"github.com/networkservicemesh/api/pkg/api/networkservice"
	"google.golang.org/protobuf/proto"
)

// measureHeal times what follows the restart of an NSE: all its clients come back in random order, each
// with the context it had, to an instance that knows nothing. Quadratic: each recovered address copies the
// tree that the ones before broke up.
func measureHeal(size sizes) []row {
	ctx := quiet()
	var rows []row
	for _, clients := range size.healClients {
		before := newPoint2Point("10.0.0.0/8")
		connections := make([]*networkservice.Connection, clients)
		for i := range clients {
			connections[i] = must(before.Request(ctx, requestOf(fmt.Sprint("client-", i), nil)))
		}
		repetitions := size.repetitions
		if clients >= 10_000 {
			repetitions = min(repetitions, 2)
		}
		if clients >= 30_000 {
			repetitions = 1
		}
		var samples []float64
		for repetition := range repetitions {
			order := rand.New(rand.NewSource(int64(repetition + 1))).Perm(clients)
			requests := make([]*networkservice.NetworkServiceRequest, clients)
			for i, client := range order {
				requests[i] = &networkservice.NetworkServiceRequest{Connection: proto.Clone(connections[client]).(*networkservice.Connection)}
			}
			after := newPoint2Point("10.0.0.0/8")
			start := time.Now()
			for _, request := range requests {
				must(after.Request(ctx, request))
			}
			samples = append(samples, time.Since(start).Seconds())
		}
		rows = append(rows, summary(fmt.Sprintf("nsm.heal-storm.clients-%d", clients), "s", samples))
	}
	return rows
}
