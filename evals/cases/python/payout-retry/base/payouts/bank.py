"""The bank's transfer API."""

import httpx


class BankError(Exception):
    """The bank refused the transfer."""


class BankTimeout(BankError):
    """The bank did not answer in time; the transfer may have been made."""


class Bank:
    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def transfer(self, *, account: str, amount_cents: int, idempotency_key: str) -> str:
        """Transfer money and return the bank's reference."""
        try:
            answer = self._http.post(
                "/transfers",
                json={"account": account, "amount": amount_cents},
                headers={"Idempotency-Key": idempotency_key},
                timeout=10,
            )
        except httpx.TimeoutException as error:
            raise BankTimeout(str(error)) from error
        if answer.is_error:
            raise BankError(f"{answer.status_code}: {answer.text}")
        return answer.json()["reference"]
