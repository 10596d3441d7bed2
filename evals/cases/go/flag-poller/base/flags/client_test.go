package flags

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
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
