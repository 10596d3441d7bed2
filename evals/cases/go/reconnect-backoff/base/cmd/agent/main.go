// Command agent sends meter readings to the collector.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"example.com/meter/link"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dialer := link.New(link.Config{Addr: os.Getenv("COLLECTOR"), Pause: 2 * time.Second})
	for ctx.Err() == nil {
		conn, err := dialer.Connect(ctx)
		if err != nil {
			log.Fatal(err)
		}
		// Readings come on standard input, one a line, from the driver of the meter.
		if _, err := io.Copy(conn, os.Stdin); err == nil {
			return
		}
		conn.Close()
	}
}
