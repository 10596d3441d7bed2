# frozen_string_literal: true

require "test_helper"
require "minitest/mock"

class TagTest < ActiveSupport::TestCase
  test "a slug has neither capitals nor spaces" do
    assert_equal "sea-birds", Tag.slug_of(" Sea  birds ")
  end

  test "a tag is made once and keeps its first name" do
    first = Tag.named("Sea Birds")

    assert_equal first, Tag.named(" sea  birds ")
    assert_equal "Sea Birds", first.reload.name
  end

  test "who comes second gets the tag of who was first" do
    first = Tag.create!(slug: "sea-birds", name: "Sea Birds")
    missed_once = [nil, first]

    Tag.stub(:find_by, ->(*) { missed_once.shift }) do
      assert_equal first, Tag.named("Sea Birds")
    end
  end

  test "an article has each tag once" do
    article = Article.create!(title: "Gulls")

    article.tag_with(["Sea Birds", "sea birds", "??", "Coast"])

    assert_equal %w[coast sea-birds], article.tags.map(&:slug).sort
  end
end
