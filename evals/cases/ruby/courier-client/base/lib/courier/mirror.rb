# frozen_string_literal: true

module Courier
  # Keeps a copy of a merchant's shipments. The store is a Hash-like object: id to shipment.
  class Mirror
    def initialize(client, store)
      @client = client
      @store = store
    end

    # Takes over what the API has. What it has no more is removed from the copy.
    def refresh
      seen = []
      @client.each_shipment do |shipment|
        @store[shipment["id"]] = shipment
        seen << shipment["id"]
      end
      (@store.keys - seen).each { |id| @store.delete(id) }
      seen.size
    end
  end
end
