# frozen_string_literal: true

require "json"
require "net/http"

module Courier
  # Speaks to the API in the name of one merchant.
  class Client
    def initialize(base_url:, api_key:)
      @base = URI(base_url)
      @api_key = api_key
    end

    # Yields all shipments of the merchant, page by page.
    def each_shipment
      page = 1
      loop do
        shipments = get("/v1/shipments?page=#{page}").fetch("shipments")
        break if shipments.empty?

        shipments.each { |shipment| yield shipment }
        page += 1
      end
    end

    def get(path)
      headers = Courier.default_headers.merge("Authorization" => "Bearer #{@api_key}")
      response = Net::HTTP.start(@base.host, @base.port, use_ssl: @base.scheme == "https") do |http|
        http.get(path, headers)
      end
      raise Refused, "status #{response.code}" unless response.is_a?(Net::HTTPSuccess)

      JSON.parse(response.body)
    rescue Net::OpenTimeout, Net::ReadTimeout => e
      raise Timeout, e.message
    end
  end
end
