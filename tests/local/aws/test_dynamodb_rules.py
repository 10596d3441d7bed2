"""Rules of DynamoDB that moto does not know, words that it has differently, and limits that take many bytes."""

from collections.abc import Iterator
from typing import Any

import pytest

from local.aws.clock import Clock
from local.aws.dynamodb import DynamoDb
from local.aws.dynamodb.values import item_bytes
from local.aws.protocol import AwsError
from tests.local.aws.dynamodb_requests import (
    CREATE,
    ITEMS,
    TABLE,
    Request,
    batch,
    get,
    key,
    number,
    on_table,
    put,
    query,
    text,
    transact,
    update,
    values,
)

INVALID = "One or more parameter values were invalid: "
UNDEFINED = "An expression attribute {0} used in {1} is not defined; attribute {0}: {2}"
TYPE = "Incorrect operand type for operator or function; operator or function: "
SCHEMA = "The provided key element does not match the schema"
HERE = "{} is answered without {} here."
CONDITION, UPDATE = "Invalid ConditionExpression: ", "Invalid UpdateExpression: "
KEYS = "KeyConditionExpression can only be pk = :a, or pk = :a AND begins_with(sk, :b) here."
REDUNDANT = f"{CONDITION}The expression has redundant parentheses;"


def given(condition: str, **more: Any) -> Request:
    """An update under a condition, in which an attribute of each type can be used."""
    return update("SET x = :x", condition, x=1, **more)


def nested(levels: int) -> dict[str, Any]:
    return {"L": [nested(levels - 1)]} if levels else text("x")


REFUSED: list[tuple[Request, str]] = [
    # keys and values
    (get({"pk": text("a")}), SCHEMA),
    (get({"pk": text("a"), "sk": number(1)}), SCHEMA),
    (get({**key(), "more": text("a")}), SCHEMA),
    (put(key("")), "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"),
    (put({**key(), "e": {"SS": ["a", "a"]}}), f"{INVALID}Input collection [a, a] contains duplicates."),
    (put({**key(), "e": {"NS": ["1"]}}), "Only sets of strings are here."),
    (put({**key(), "e": {"NULL": False}}), f"{INVALID}Null attribute value types must have the value of true"),
    (put({**key(), "e": {}}), "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    (put({**key(), "e": {"S": "a", "N": "1"}}), "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
    (put({**key(), "e": nested(33)}), "Nesting Levels have exceeded supported limits"),
    (put({**key(), "e": number("1" * 39)}), "Attempting to store more than 38 significant digits in a Number"),
    (put({**key(), "e": number("1e126")}), "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    (put({**key(), "e": number("1e-131")}), "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
    (put({**key(), "e": number("")}), "The parameter cannot be converted to a numeric value"),
    (put({**key(), "e": number("NaN")}), "The parameter cannot be converted to a numeric value: NaN"),
    (update("SET l = list_append(l, :big)", big={"L": [text("x" * 409_700)]}), "Item size to update has exceeded the maximum allowed size"),
    # names and values of expressions
    (update("SET a = :y", x="new"), UPDATE + UNDEFINED.format("value", "expression", ":y")),
    (update("SET #a = :x", x="new"), UPDATE + UNDEFINED.format("name", "the document path", "#a")),
    (put(key(), ExpressionAttributeNames={"#a": "b"}), "ExpressionAttributeNames can only be specified when using expressions"),
    (put(key(), ExpressionAttributeValues=values(a=1)), "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"),
    (on_table("UpdateItem", Key=key(), ExpressionAttributeValues=values(a=1)), "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"),
    (update("REMOVE a", ExpressionAttributeValues={}), "ExpressionAttributeValues must not be empty"),
    (update("REMOVE a", ExpressionAttributeNames={"a": "b"}), 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
    (update("SET a = :x", x={"SS": []}), f"ExpressionAttributeValues contains invalid value: {INVALID}An string set  may not be empty for key :x"),
    # the syntax of expressions
    (update("SET a = frob(b)"), f"{UPDATE}Invalid function name; function: frob"),
    (update("SET a = if_not_exists(:x, :x)", x=1), f"{UPDATE}Operator or function requires a document path; operator or function: if_not_exists"),
    (update("SET a = list_append(b)"), f"{UPDATE}Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1"),
    (update("SET a = b + :x", x="1"), f"{UPDATE}{TYPE}+, operand type: S"),
    (update("ADD a :x", x="1"), f"{UPDATE}Incorrect operand type for operator or function; operator: ADD, operand type: STRING"),
    (update(f"SET a = :x REMOVE {'b' * 4_090}", x=1), f"{UPDATE}Expression size has exceeded the maximum allowed size; expression size: 4108"),
    (given("((x = :x))"), REDUNDANT),
    (given("size(a)"), f"{CONDITION}The function is not allowed to be used this way in an expression; function: size"),
    (given("attribute_exists(a) = :x"), f'{CONDITION}Syntax error; token: "=", near: ") = :x"'),
    (given("begins_with(a, :x)"), f"{CONDITION}{TYPE}begins_with, operand type: N"),
    (given("size(:x) = :x"), f"{CONDITION}{TYPE}size, operand type: N"),
    (given("a < :t", t={"BOOL": True}), f"{CONDITION}{TYPE}<, operand type: BOOL"),
    (given("a = :x attribute_exists"), f'{CONDITION}Syntax error; token: "attribute_exists", near: ":x attribute_exists"'),
    # what nothing here uses
    (put(key(), ReturnValues="ALL_OLD"), HERE.format("PutItem", "ReturnValues")),
    (update("REMOVE a", ReturnValues="UPDATED_OLD"), "ReturnValues UPDATED_OLD is not here."),
    (update("REMOVE m.a"), f'{UPDATE}Syntax error; token: ".", near: "m.a"'),
    (given("x BETWEEN :x AND :x"), f'{CONDITION}Syntax error; token: "BETWEEN", near: "x BETWEEN :x"'),
    (given("x IN (:x)"), f'{CONDITION}Syntax error; token: "IN", near: "x IN ("'),
    *((query(each, {"p": "q"}), KEYS) for each in ("pk < :p", "pk = :p AND sk = :p", "pk = :p AND pk = :p", "pk = :p OR pk = :p", "pk = :p AND sk = pk")),
    (query("pk = :p", {"p": "q"}, FilterExpression="NOT (i = :p OR size(sk) = :p)"), "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"),
    (query("pk = :p", {"p": "q"}, IndexName="none"), HERE.format("Query", "IndexName")),
    # reading
    (on_table("Query"), "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."),
    (query("pk = :p", {"p": 1}), f"{INVALID}Condition parameter type does not match schema type"),
    (query("pk = :p", {"p": "q"}, ExclusiveStartKey=key("other")), "The provided starting key is outside query boundaries based on provided conditions"),
    (on_table("Scan", Limit=0), "1 validation error(s) detected: Scan.Limit is 0, and has to be from 1 to None"),
    (on_table("Scan", TotalSegments=2, Segment=0), HERE.format("Scan", "Segment, TotalSegments")),
    (get(AttributesToGet=["a"]), HERE.format("GetItem", "AttributesToGet")),
    (("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [key(sk=f"{at}") for at in range(101)]}}}), "Too many items requested for the BatchGetItem call"),
    # batches, transactions and tables
    (batch("BatchWriteItem", {"PutRequest": {"Item": key("b")}}, {"DeleteRequest": {"Key": key("b")}}), "Provided list of item keys contains duplicates"),
    (batch("BatchWriteItem", *({"DeleteRequest": {"Key": key(sk=f"{at}")}} for at in range(26))), "Too many items requested for the BatchWriteItem call"),
    (transact(*(("Put", put(key(sk=f"{at}"))) for at in range(101))), "1 validation error(s) detected: the length of TransactWriteItems.TransactItems is 101, and has to be from 1 to 100"),
    (transact(*(("Put", put({**key(sk=f"{at}"), "e": text("x" * 409_000)})) for at in range(11))), "The aggregate size of the items in the transaction exceeds 4 MB"),
    (("TransactWriteItems", {"TransactItems": [{}]}), "TransactItems can only contain one of Check, Put, Update or Delete"),
    (("CreateTable", {**CREATE, "TableName": "two", "BillingMode": "PROVISIONED"}), "Only tables with BillingMode PAY_PER_REQUEST are here."),
    (on_table("UpdateTimeToLive", TimeToLiveSpecification={"Enabled": False, "AttributeName": "e"}), "TimeToLive is already disabled"),
    (on_table("UpdateTable"), "At least one of the settings of the table has to be given."),
    (on_table("ListBackups"), "DynamoDB has no operation ListBackups here."),
]  # fmt: skip


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def dynamodb(clock: Clock) -> Iterator[DynamoDb]:
    service = DynamoDb(None, clock)
    service.ask("CreateTable", CREATE)
    for item in ITEMS:
        service.ask("PutItem", {"TableName": TABLE, "Item": item})
    yield service
    service.close()


@pytest.mark.parametrize(("asked", "message"), REFUSED, ids=[f"{at}-{each[0][0]}" for at, each in enumerate(REFUSED)])
def test_an_invalid_request_is_refused_with_dynamodbs_message(dynamodb: DynamoDb, asked: Request, message: str) -> None:
    """Nothing is written."""
    before = dynamodb.ask(*on_table("Scan"))

    with pytest.raises(AwsError) as refused:
        dynamodb.ask(*asked)

    assert refused.value.message == message
    assert dynamodb.ask(*on_table("Scan")) == before


def test_numbers_are_exact_and_written_plainly(dynamodb: DynamoDb) -> None:
    """38 digits, without exponents and needless zeros."""
    for sent, kept in {
        "1.50": "1.5", "1E2": "100", "-0.0": "0", "+7": "7", "1e-3": "0.001", "9" * 38: "9" * 38, ".5": "0.5", "007": "7"
    }.items():  # fmt: skip
        dynamodb.ask(*put({**key("n"), "n": number(sent)}))
        assert dynamodb.ask(*get(key("n")))["Item"]["n"] == number(kept)

    dynamodb.ask(*update("ADD n :x", Key=key("n"), x={"N": "-6.9999999999999999999999999999999999999"}))
    assert dynamodb.ask(*get(key("n")))["Item"]["n"] == number("0.0000000000000000000000000000000000001")


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"pk": {"S": "four"}}, 2 + 4),
        ({"é": {"S": "é"}}, 2 + 2),
        ({"n": {"N": "12345"}}, 1 + 4),
        ({"n": {"N": "-1200"}}, 1 + 3),
        ({"b": {"B": "AAEC"}}, 1 + 3),
        ({"t": {"BOOL": True}, "z": {"NULL": True}}, 1 + 1 + 1 + 1),
        ({"l": {"L": [{"S": "ab"}, {"S": "c"}]}}, 1 + 3 + 2 + 1 + 1 + 1),
        ({"m": {"M": {"k": {"S": "v"}}}}, 1 + 3 + 1 + 1 + 1),
        ({"s": {"SS": ["ab", "c"]}}, 1 + 3),
        ({}, 0),
    ],
)
def test_an_item_has_the_bytes_that_dynamodb_counts(item: dict[str, Any], size: int) -> None:
    """Names count as well as values."""
    assert item_bytes(item) == size


def test_lists_are_nested_to_a_limit(dynamodb: DynamoDb) -> None:
    """32 levels are kept."""
    dynamodb.ask(*put({**key("n"), "e": nested(32)}))

    assert dynamodb.ask(*get(key("n")))["Item"]["e"] == nested(32)


def test_sets_are_equal_whatever_their_order(dynamodb: DynamoDb) -> None:
    """Sets inside of lists and maps are too."""
    dynamodb.ask(*put({**key(), "s": {"M": {"a": {"L": [{"SS": ["b", "a"]}]}}}}))

    same = update("REMOVE s", "s = :s", s={"M": {"a": {"L": [{"SS": ["a", "b"]}]}}}, ReturnValues="ALL_NEW")

    assert dynamodb.ask(*same)["Attributes"] == key()


def test_an_update_sees_the_item_as_it_was(dynamodb: DynamoDb) -> None:
    """Values are exchanged."""
    dynamodb.ask(*put({**key(), "a": number(1), "b": number(2)}))

    swapped = dynamodb.ask(*update("SET a = b, b = a", ReturnValues="ALL_NEW"))

    assert swapped["Attributes"] == {**key(), "a": number(2), "b": number(1)}


def test_a_batch_beyond_a_megabyte_is_written_in_part(dynamodb: DynamoDb) -> None:
    """A caller that ignores what is left out loses it, as with a table that is busy."""
    puts = [{"PutRequest": {"Item": {**key("big", f"s{at}"), "data": text("x" * 400_000)}}} for at in range(3)]

    answer = dynamodb.ask(*batch("BatchWriteItem", *puts))
    rest = dynamodb.ask("BatchWriteItem", {"RequestItems": answer["UnprocessedItems"]})

    assert answer["UnprocessedItems"] == {TABLE: puts[2:]}
    assert rest == {"UnprocessedItems": {}}
    assert len(all_pages(dynamodb, *query("pk = :p", {"p": "big"}))[0]["Items"]) == 2


def test_a_page_that_is_full_says_where_it_ended(dynamodb: DynamoDb) -> None:
    """The last key is there even when no items are left; the rest is an empty page."""
    first = dynamodb.ask(*query("pk = :p", {"p": "q"}, Limit=5))
    rest = dynamodb.ask(*query("pk = :p", {"p": "q"}, Limit=5, ExclusiveStartKey=first["LastEvaluatedKey"]))

    assert [item["sk"]["S"] for item in first["Items"]] == ["s0", "s1", "s2", "s3", "s4"]
    assert first["LastEvaluatedKey"] == key("q", "s4")
    assert rest == {"Items": [], "Count": 0, "ScannedCount": 0}


def test_a_page_ends_before_a_megabyte(dynamodb: DynamoDb) -> None:
    """The items that are read count, whatever the filter and the projection leave of them."""
    for at in range(7):
        dynamodb.ask(*put({**key("big", f"s{at}"), "n": number(at), "data": text("x" * 300_000)}))
    projection = {"ProjectionExpression": "pk, n"}
    filtered = {"FilterExpression": "n <> :one", "ExpressionAttributeValues": values(one=1), **projection}

    queried = all_pages(dynamodb, *query("pk = :p", {"p": "big"}, **projection))
    scanned = all_pages(dynamodb, *on_table("Scan", **filtered))

    assert (len(queried), len(scanned)) == (3, 3)
    assert [item["n"]["N"] for page in queried for item in page["Items"]] == [*"0123456"]
    found = [item["n"]["N"] for page in scanned for item in page["Items"] if item["pk"] == text("big")]
    assert found == [*"023456"]


def all_pages(dynamodb: DynamoDb, operation: str, request: dict[str, Any]) -> list[dict[str, Any]]:
    pages = [dynamodb.ask(operation, request)]
    while after := pages[-1].get("LastEvaluatedKey"):
        pages.append(dynamodb.ask(operation, {**request, "ExclusiveStartKey": after}))
    return pages


def test_partitions_come_in_no_order_in_a_scan_and_items_in_that_of_their_sort_keys(dynamodb: DynamoDb) -> None:
    """Page by page each of them once, wherever the pages end."""
    for at in range(12):
        dynamodb.ask(*put(key(f"p{at:02}", f"s{at % 2}")))

    pages = all_pages(dynamodb, *on_table("Scan", Limit=1))

    found = [f"{item['pk']['S']} {item['sk']['S']}" for page in pages for item in page["Items"]]

    assert len(found) == len({*found}) == 18
    assert found != sorted(found)
    assert [each for each in found if each.startswith("q")] == [f"q s{at}" for at in range(5)]


def test_a_batch_leaves_what_is_beyond_sixteen_megabytes(dynamodb: DynamoDb) -> None:
    """It has to be asked for again."""
    keys = [key("big", f"s{at:02}") for at in range(45)]
    for each in keys:
        dynamodb.ask(*put({**each, "data": text("x" * 400_000)}))

    answer = dynamodb.ask("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys, "ConsistentRead": True}}})

    assert len(answer["Responses"][TABLE]) == 41
    assert answer["UnprocessedKeys"] == {TABLE: {"Keys": keys[41:], "ConsistentRead": True}}


@pytest.mark.parametrize(
    ("seconds", "second", "refusal", "runs"),
    [
        pytest.param(0, "a", None, 1, id="a repeat is applied once"),
        pytest.param(601, "a", None, 2, id="after ten minutes it is a new transaction"),
        pytest.param(0, "b", "IdempotentParameterMismatchException", 1, id="another transaction is refused"),
    ],
)
def test_a_transaction_is_known_by_its_token(
    clock: Clock, dynamodb: DynamoDb, seconds: int, second: str, refusal: str | None, runs: int
) -> None:
    """A retry after a lost answer does not count twice; boto3 gives each transaction a token."""

    def add_one(attribute: str) -> None:
        part = update(f"ADD {attribute} :one", Key=key("token"), one=1)
        dynamodb.ask(*transact(("Update", part), ClientRequestToken="token"))

    add_one("a")
    clock.advance(seconds)
    code = None
    try:
        add_one(second)
    except AwsError as error:
        code = error.code

    assert code == refusal
    assert dynamodb.ask(*get(key("token")))["Item"] == {**key("token"), "a": number(runs)}


def test_a_token_whose_transaction_failed_can_be_tried_again(dynamodb: DynamoDb) -> None:
    """Only applied transactions are remembered."""
    once = put(key("once"), ConditionExpression="attribute_not_exists(pk)")
    claim = transact(("Put", once), ClientRequestToken="token")
    dynamodb.ask(*put(key("once")))
    with pytest.raises(AwsError, match="Transaction cancelled"):
        dynamodb.ask(*claim)
    dynamodb.ask(*on_table("DeleteItem", Key=key("once")))

    dynamodb.ask(*claim)

    assert "Item" in dynamodb.ask(*get(key("once")))


def test_an_update_that_cannot_be_made_cancels_its_transaction(dynamodb: DynamoDb) -> None:
    """Each part has its reason."""
    parts = transact(("Put", put(key("t"))), ("Update", update("ADD a :o", o=1)))

    with pytest.raises(AwsError) as cancelled:
        dynamodb.ask(*parts)

    assert (cancelled.value.code, cancelled.value.details["CancellationReasons"]) == (
        "TransactionCanceledException",
        [
            {"Code": "None"},
            {"Code": "ValidationError", "Message": "An operand in the update expression has an incorrect data type"},
        ],
    )
    assert dynamodb.ask(*get(key("t"))) == {}


def test_a_protected_table_stays_until_it_is_no_longer_protected(dynamodb: DynamoDb) -> None:
    """The table of a deployment with retained data is such a table."""
    dynamodb.ask(*on_table("UpdateTable", DeletionProtectionEnabled=True))

    message = "Resource cannot be deleted as it is currently protected against deletion."
    with pytest.raises(AwsError, match=message):
        dynamodb.ask(*on_table("DeleteTable"))
    assert dynamodb.ask(*on_table("DescribeTable"))["Table"]["ItemCount"] == len(ITEMS)
    dynamodb.ask(*on_table("UpdateTable", DeletionProtectionEnabled=False))
    dynamodb.ask(*on_table("DeleteTable"))

    with pytest.raises(AwsError, match=f"^Requested resource not found: Table: {TABLE} not found$"):
        dynamodb.ask(*on_table("DeleteTable"))
