# frozen_string_literal: true

require "test_helper"

class TagTest < ActiveSupport::TestCase
  test "a slug has neither capitals nor spaces" do
    assert_equal "sea-birds", Tag.slug_of(" Sea  birds ")
  end
end
