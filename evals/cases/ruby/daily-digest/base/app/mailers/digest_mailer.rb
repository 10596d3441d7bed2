# frozen_string_literal: true

class DigestMailer < ApplicationMailer
  def welcome(subscriber)
    @subscriber = subscriber
    mail(to: subscriber.address, subject: "Welcome to #{subscriber.newsletter.name}")
  end
end
