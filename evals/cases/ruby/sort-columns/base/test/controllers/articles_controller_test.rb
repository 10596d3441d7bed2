# frozen_string_literal: true

require "test_helper"

class ArticlesControllerTest < ActionDispatch::IntegrationTest
  test "lists the articles" do
    get articles_url

    assert_response :success
    assert_select "tbody tr", Article.count
  end
end
