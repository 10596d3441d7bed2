# frozen_string_literal: true

module Api
  class OrdersController < ApplicationController
    def index
      search = OrderSearch.new(current_account, status: params[:status])
      render json: { orders: search.results.map { |order| OrderSerializer.new(order).as_json } }
    end
  end
end
