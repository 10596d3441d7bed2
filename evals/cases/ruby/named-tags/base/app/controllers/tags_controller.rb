# frozen_string_literal: true

class TagsController < ApplicationController
  # Editors choose among the tags that there are.
  def update
    article = Article.find(params[:article_id])
    article.tags = Tag.where(slug: params.require(:slugs))
    head :no_content
  end
end
