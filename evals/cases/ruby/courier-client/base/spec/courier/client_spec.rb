# frozen_string_literal: true

require "courier"
require "webmock/rspec"

RSpec.describe Courier::Client do
  subject(:client) { described_class.new(base_url: "https://parcels.example.com", api_key: "k1") }

  def stub_page(number, shipments)
    stub_request(:get, "https://parcels.example.com/v1/shipments?page=#{number}")
      .to_return(body: JSON.generate(shipments:))
  end

  it "yields the shipments of all pages" do
    stub_page(1, [{ id: "s1" }, { id: "s2" }])
    stub_page(2, [{ id: "s3" }])
    stub_page(3, [])

    expect(client.enum_for(:each_shipment).map { |shipment| shipment["id"] }).to eq(%w[s1 s2 s3])
  end

  it "says that there was no answer" do
    stub_request(:get, /shipments/).to_timeout

    expect { client.get("/v1/shipments?page=1") }.to raise_error(Courier::Timeout)
  end
end
