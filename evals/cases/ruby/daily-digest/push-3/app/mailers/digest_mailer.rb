# frozen_string_literal: true

class DigestMailer < ApplicationMailer
  def welcome(subscriber)
    @subscriber = subscriber
    mail(to: subscriber.address, subject: "Welcome to #{subscriber.newsletter.name}")
  end

  def daily(subscriber, articles)
    @subscriber = subscriber
    @articles = articles
    count = "#{articles.size} new #{"article".pluralize(articles.size)}"
    mail(to: subscriber.address, subject: "#{subscriber.newsletter.name}: #{count}")
  end
end
