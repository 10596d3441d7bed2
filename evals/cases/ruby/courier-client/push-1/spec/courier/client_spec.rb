# frozen_string_literal: true

require "courier"
require "webmock/rspec"

RSpec.describe Courier::Client do
  subject(:client) do
    described_class.new(base_url: "https://parcels.example.com", api_key: "k1", logger: Logger.new(nil))
  end

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

  it "asks for a slow page again" do
    stub_request(:get, /page=1/).to_timeout.then.to_return(body: JSON.generate(shipments: [{ id: "s1" }]))
    stub_page(2, [])

    expect(client.enum_for(:each_shipment).map { |shipment| shipment["id"] }).to eq(%w[s1])
  end

  it "does not fail where a page stays slow" do
    stub_page(1, [{ id: "s1" }])
    stub_request(:get, /page=2/).to_timeout

    expect(client.enum_for(:each_shipment).count).to eq(1)
  end

  it "sends the headers that it is given" do
    client = described_class.new(
      base_url: "https://parcels.example.com", api_key: "k1", headers: { "X-Trace" => "t1" }
    )
    request = stub_request(:get, /rates/).with(headers: { "X-Trace" => "t1", "Authorization" => "Bearer k1" })
                                         .to_return(body: "{}")

    client.get("/v1/rates")

    expect(request).to have_been_requested
  end

  it "says that there was no answer" do
    stub_request(:get, /shipments/).to_timeout

    expect { client.get("/v1/shipments?page=1") }.to raise_error(Courier::Timeout)
  end
end
