# frozen_string_literal: true

# Mails the day's articles to everybody who has subscribed. Runs every evening at eight, once for each newsletter.
class DailyDigestJob
  include Sidekiq::Job

  sidekiq_options queue: "mail", retry: 5

  def perform(newsletter_id)
    newsletter = Newsletter.find(newsletter_id)
    articles = newsletter.articles.published_on(Date.today).to_a
    return if articles.empty?

    newsletter.subscribers.active.not_digested_on(Date.current).find_each do |subscriber|
      DigestMailer.daily(subscriber, articles).deliver_now
      subscriber.update!(digested_on: Date.current)
    end
  end
end
