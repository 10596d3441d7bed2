# frozen_string_literal: true

class ArticlesController < ApplicationController
  def index
    @order = ArticleOrder.new(params[:sort], params[:dir])
    @articles = @order.apply(Article.eager_load(:supplier))
  end
end
