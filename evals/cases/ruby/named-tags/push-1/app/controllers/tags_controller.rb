# frozen_string_literal: true

class TagsController < ApplicationController
  MOST = 20

  # Editors write down the tags that they want.
  def update
    article = Article.find(params[:article_id])
    article.tag_with(Array(params.require(:names)).map(&:to_s).first(MOST))
    head :no_content
  end
end
