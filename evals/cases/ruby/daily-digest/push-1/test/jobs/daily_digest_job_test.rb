# frozen_string_literal: true

require "test_helper"

class DailyDigestJobTest < ActiveSupport::TestCase
  include ActionMailer::TestHelper

  setup do
    travel_to Time.zone.local(2024, 5, 14, 12)
    @newsletter = Newsletter.create!(name: "Harbour News")
    @ada = @newsletter.subscribers.create!(name: "Ada", address: "ada@example.org")
  end

  test "mails the articles of the day" do
    @newsletter.articles.create!(title: "High tide", published_at: 4.hours.ago)
    @newsletter.articles.create!(title: "Low tide", published_at: 30.hours.ago)

    assert_emails(1) { DailyDigestJob.new.perform(@newsletter.id) }

    mail = ActionMailer::Base.deliveries.last
    assert_equal ["ada@example.org"], mail.to
    assert_equal "Harbour News: 1 new articles", mail.subject
    assert_equal Date.new(2024, 5, 14), @ada.reload.digested_on
  end

  test "mails nothing on a day without articles" do
    assert_emails(0) { DailyDigestJob.new.perform(@newsletter.id) }
  end

  test "leaves out who has unsubscribed" do
    @newsletter.articles.create!(title: "High tide", published_at: 4.hours.ago)
    @ada.update!(unsubscribed_at: 1.day.ago)

    assert_emails(0) { DailyDigestJob.new.perform(@newsletter.id) }
  end
end
