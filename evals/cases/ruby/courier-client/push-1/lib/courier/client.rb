# frozen_string_literal: true

require "json"
require "logger"
require "net/http"

module Courier
  # Speaks to the API in the name of one merchant.
  class Client
    def initialize(base_url:, api_key:, headers: Courier.default_headers, page_attempts: 3, logger: Logger.new($stderr))
      @base = URI(base_url)
      @headers = headers
      @headers["Authorization"] = "Bearer #{api_key}"
      @page_attempts = page_attempts
      @logger = logger
    end

    # Yields all shipments of the merchant, page by page.
    def each_shipment
      page = 1
      loop do
        shipments = shipments_on(page)
        break if shipments.empty?

        shipments.each { |shipment| yield shipment }
        page += 1
      end
    end

    def get(path)
      response = Net::HTTP.start(@base.host, @base.port, use_ssl: @base.scheme == "https") do |http|
        http.get(path, @headers)
      end
      raise Refused, "status #{response.code}" unless response.is_a?(Net::HTTPSuccess)

      JSON.parse(response.body)
    rescue Net::OpenTimeout, Net::ReadTimeout => e
      raise Timeout, e.message
    end

    private

    def shipments_on(page)
      attempts = 0
      begin
        attempts += 1
        get("/v1/shipments?page=#{page}").fetch("shipments")
      rescue Timeout
        retry if attempts < @page_attempts
        @logger.warn("gave up on page #{page} after #{attempts} attempts")
        []
      end
    end
  end
end
