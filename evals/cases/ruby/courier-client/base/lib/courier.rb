# frozen_string_literal: true

require "courier/client"
require "courier/mirror"

# Client for the parcel API.
module Courier
  VERSION = "1.8.0"

  class Error < StandardError; end
  class Timeout < Error; end
  class Refused < Error; end

  class << self
    # What every request carries; applications may add to it.
    def default_headers
      @default_headers ||= { "Accept" => "application/json", "User-Agent" => "courier/#{VERSION}" }
    end
  end
end
