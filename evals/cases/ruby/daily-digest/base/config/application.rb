# frozen_string_literal: true

require_relative "boot"
require "rails/all"

Bundler.require(*Rails.groups)

module Newsletters
  class Application < Rails::Application
    config.load_defaults 7.1
    config.time_zone = "Lima"
  end
end
