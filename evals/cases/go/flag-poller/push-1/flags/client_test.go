package flags

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestFlagsAreReadAtStart(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"flags": {"new-cart": true}}`)
	}))
	defer service.Close()

	client, err := New(context.Background(), service.Client(), service.URL)

	if err != nil {
		t.Fatal(err)
	}
	if !client.Enabled("new-cart") || client.Enabled("unknown") {
		t.Errorf("got %v", client.All())
	}
}

func TestFlagsFollowTheService(t *testing.T) {
	var answer atomic.Value
	answer.Store(`{"flags": {"new-cart": true, "old-cart": true}}`)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := answer.Load().(string)
		tag := fmt.Sprintf("%q", fmt.Sprint(len(body)))
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		fmt.Fprint(w, body)
	}))
	defer service.Close()
	client, err := New(context.Background(), service.Client(), service.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go client.Run(ctx, time.Millisecond)

	answer.Store(`{"flags": {"new-cart": false}}`)

	deadline := time.Now().Add(5 * time.Second)
	for client.Enabled("new-cart") || client.Enabled("old-cart") {
		if time.Now().After(deadline) {
			t.Fatal("the flags stayed as they were")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFlagsStayWhileTheServiceIsAway(t *testing.T) {
	var broken atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"flags": {"new-cart": true}}`)
	}))
	defer service.Close()
	client, err := New(context.Background(), service.Client(), service.URL)
	if err != nil {
		t.Fatal(err)
	}

	broken.Store(true)

	if err := client.load(context.Background()); err == nil {
		t.Error("no error")
	}
	if !client.Enabled("new-cart") {
		t.Error("the flag is gone")
	}
}
