# frozen_string_literal: true

class Article < ApplicationRecord
  has_many :taggings, dependent: :destroy
  has_many :tags, through: :taggings

  validates :title, presence: true

  # Tags the article with these and no others; names of which no slug can be made are left out. The slugs go in order,
  # so that two editors who make the same tags do not wait for each other.
  def tag_with(names)
    known = names.uniq { |name| Tag.slug_of(name) }.reject { |name| Tag.slug_of(name).empty? }
    with_lock { self.tags = known.sort_by { |name| Tag.slug_of(name) }.map { |name| Tag.named(name) } }
  end
end
