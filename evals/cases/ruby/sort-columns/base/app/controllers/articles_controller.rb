# frozen_string_literal: true

class ArticlesController < ApplicationController
  def index
    @articles = Article.includes(:supplier).order(:sku)
  end
end
