import unittest
from datetime import date

from library.loans import Loan, NotRenewable, fine_cents, renew


class RenewTest(unittest.TestCase):
    def test_renew(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        renewed = renew(loan, date(2025, 3, 20))
        self.assertEqual(renewed.due, date(2025, 4, 10))
        self.assertEqual(renewed.renewals, 1)

    def test_renew_on_last_day(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        renewed = renew(loan, date(2025, 3, 24))
        self.assertEqual(renewed.due, date(2025, 4, 14))

    def test_reserved(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24), reserved_by=("r-2",))
        try:
            renew(loan, date(2025, 3, 20))
            self.fail("renewed")
        except NotRenewable as error:
            self.assertEqual(str(error), "somebody else is waiting")

    def test_too_often(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24), renewals=2)
        try:
            renew(loan, date(2025, 3, 20))
            self.fail("renewed")
        except NotRenewable as error:
            self.assertEqual(str(error), "renewed too often")

    def test_overdue(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        try:
            renew(loan, date(2025, 3, 25))
            self.fail("renewed")
        except NotRenewable as error:
            self.assertEqual(str(error), "overdue")


class FineTest(unittest.TestCase):
    def test_in_time(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        self.assertEqual(fine_cents(loan, date(2025, 3, 24)), 0)

    def test_early(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        self.assertEqual(fine_cents(loan, date(2025, 3, 4)), 0)

    def test_one_day(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        self.assertEqual(fine_cents(loan, date(2025, 3, 25)), 20)

    def test_highest(self):
        loan = Loan("r-1", "b-1", date(2025, 3, 3), date(2025, 3, 24))
        self.assertEqual(fine_cents(loan, date(2025, 6, 30)), 1_000)


if __name__ == "__main__":
    unittest.main()
