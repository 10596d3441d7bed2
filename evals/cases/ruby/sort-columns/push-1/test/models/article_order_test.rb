# frozen_string_literal: true

require "test_helper"

class ArticleOrderTest < ActiveSupport::TestCase
  setup do
    Article.delete_all
    supplier = suppliers(:harbour)
    @few = Article.create!(sku: "A-1", name: "rope", stock: 2, supplier:)
    @none = Article.create!(sku: "A-2", name: "Anchor", stock: nil, supplier:)
    @many = Article.create!(sku: "A-3", name: "buoy", stock: 90, supplier:)
  end

  test "sorts by the stock, those without one last" do
    assert_equal [@few, @many, @none], sorted("stock", "asc")
    assert_equal [@many, @few, @none], sorted("stock", "desc")
  end

  test "capitals make no difference" do
    assert_equal [@none, @many, @few], sorted("name", "asc")
  end

  test "anything else is sorted by the SKU" do
    assert_equal [@few, @none, @many], sorted("stock; DROP TABLE articles", "asc")
    assert_equal [@few, @none, @many], sorted(nil, "sideways")
    assert_equal [@few, @none, @many], sorted(["stock"], nil)
  end

  private

  def sorted(column, direction)
    ArticleOrder.new(column, direction).apply(Article.eager_load(:supplier)).to_a
  end
end
