# frozen_string_literal: true

# In which order articles are listed. Takes what stands in the address, and falls back to the SKU.
class ArticleOrder
  COLUMNS = {
    "sku" => "articles.sku",
    "name" => "lower(articles.name)",
    "supplier" => "lower(suppliers.name)",
    "stock" => "articles.stock"
  }.freeze
  DIRECTIONS = %w[asc desc].freeze

  attr_reader :column, :direction

  def initialize(column, direction)
    @column = COLUMNS.key?(column) ? column : "sku"
    @direction = DIRECTIONS.include?(direction) ? direction : "asc"
  end

  def apply(articles)
    sorted = articles.order(Arel.sql("#{COLUMNS.fetch(column)} #{direction} NULLS LAST"))
    sorted.order(:sku)
  end

  # The direction that a click on a column's heading leads to.
  def next_direction(clicked)
    clicked == column && direction == "asc" ? "desc" : "asc"
  end
end
