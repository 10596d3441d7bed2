# frozen_string_literal: true

module Api
  class OrdersController < ApplicationController
    def index
      search = OrderSearch.new(current_account, status: params[:status], page: params[:page])
      render json: {
        orders: search.results.map { |order| OrderSerializer.new(order).as_json },
        page: search.page,
        pages: search.pages
      }
    end
  end
end
