"""True findings as reviewers may word them, each with the line of code that it is about."""

PLAIN = (
    ("return sum(prices) / len(prices)", "An empty list raises ZeroDivisionError"),
    ("for index in range(1, len(rows)):", "The first row is skipped"),
    ("query = f\"SELECT * FROM users WHERE name = '{name}'\"", "The name goes into the SQL text unescaped"),
    ("os.system('tar xf ' + upload)", "An upload's name is run as a shell command"),
    ("return open(folder + '/' + name).read()", "A name with ../ reads any file of the server"),
    ("if user.role = 'admin':", "The comparison is an assignment and does not parse"),
    ("except Exception: pass", "A failed payment is swallowed"),
    ("def add(item, items=[]):", "All callers share one list"),
    ("self.cache[key] = value", "The cache grows without bound"),
    ("timeout=None", "A dead server blocks the worker for ever"),
    ("requests.get(url, verify=False)", "Anybody on the way can answer instead of the server"),
    ("token = random.random()", "The reset token can be guessed"),
    ("hashlib.md5(password).hexdigest()", "Stolen password hashes are reversed in minutes"),
    ("while not done: check()", "The loop never sleeps and takes a whole core"),
    ("return datetime.now() - started_utc", "A naive time is compared with one in UTC"),
    ("balance -= amount", "Two withdrawals at once overdraw the account"),
    ("items.remove(item)", "Removing while iterating skips the next item"),
    ("[fetch(each.id) for each in orders]", "One query is sent for each order"),
    ("return json.loads(body)['id']", "A body without an id crashes the handler"),
    ("float('19.99') * 3", "Prices in floats lose cents"),
    ("if status is 200:", "Identity of integers decides about success"),
    ("logging.info('password %s', password)", "The password is written to the log"),
    ("yaml.load(text)", "A crafted file runs code while it is loaded"),
    ("pickle.loads(request.body)", "A request can run any code"),
    ("shutil.rmtree(path, ignore_errors=True)", "A failed cleanup goes unnoticed"),
    ("return value or default", "A value of 0 becomes the default"),
)
"""Plain words: a line of code and a title."""

UNUSUAL = (
    ("total += price", "Rounding"),
    ("lock.acquire()", "Deadlock"),
    ("return cached[user]", "Oops"),
    ("n = int(text)", "What about '12abc'?"),
    ("host = request.args['host']", "Who checks the host?"),
    ("sleep(60)", "Really, a minute, in the event loop?"),
    ("open('/tmp/report')", "Zwei Benutzer überschreiben sich gegenseitig die Datei"),
    ("price = price * 1.19", "La TVA est appliquée deux fois"),
    ("limit = limit - 1", "El límite puede ser negativo"),
    ("names = names[:-1]", "最後の名前が失われます"),
    ("count = count + 1", "Счётчик теряет обновления при гонке"),
    ("rate = rates['EUR']", "لا يوجد سعر لهذه العملة"),
    ("retry(forever)", "Great, a retry that never gives up, what could go wrong"),
    ("assert user.is_admin", "Asserts as access control: bold, with python -O even bolder"),
    ("send(mail)", "Brilliant: every retry sends another mail"),
    ("page = page + 2", "Every second page: gone"),
    ("rows = rows[0]", "Only one row, never the others"),
    ("buffer[4]", "`buffer[4]` with `len(buffer) == 4`"),
    ("left < right and right < left", "`left < right and right < left`"),
    ("x = y / z", "`z == 0`"),
    ("f.write(data)", "f.write(data); f.close() -> f.write(data)"),
    ("key = 'x'", ":warning:"),
    ("done = True", "!"),
    ("weight = grams / 100", "*kilo* is __thousand__ <b>not</b> hundred"),
    ("return cb(err)", "@everyone callback twice #1"),
)
"""Other words: one word, questions, other languages, sarcasm, no verbs, code or signs only."""

SYNTAX = (
    (
        "scope.py",
        "def outer():\n    inner_value = 1\n\n\ndef other():\n    return inner_value\n",
        "return inner_value",
        "inner_value is local to outer: NameError here",
    ),
    (
        "shadow.py",
        "def parse(json, text):\n    return json.loads(text)\n",
        "return json.loads(text)",
        "json is the caller's text here, and the module is not imported",
    ),
    (
        "query.py",
        'QUERY = "SELECT id FROM users WHERE name = \'ann"\n',
        'QUERY = "SELECT id FROM users WHERE name = \'ann"',
        "The quotation mark in the query is never closed",
    ),
    (
        "getattr.py",
        (
            "def on_paid(order):\n    return order.id\n\n\n"
            "def run(order):\n    return globals()[f'on_{order.state}'](order, 1)\n"
        ),
        "def on_paid(order):",
        "run calls on_paid by its name with two arguments",
    ),
    ("requirements.txt", "requests==2.5.0\n", "requests==2.5.0", "The pinned version sends credentials to other hosts"),
    (
        "unused.py",
        "import os\nimport json\n\nVALUE = json.dumps({})\n",
        "import os",
        "os is imported and no longer used",
    ),
    (
        "comprehension.py",
        "rows = [1]\ntotal = sum(row for row in rows)\nprint(row)\n",
        "print(row)",
        "row does not leave the generator",
    ),
    (
        "late.py",
        "jobs = [lambda: number for number in range(3)]\n",
        "jobs = [lambda: number for number in range(3)]",
        "All jobs see the last number",
    ),
    (
        "except.py",
        "try:\n    run()\nexcept ValueError as error:\n    pass\nprint(error)\n",
        "print(error)",
        "error is deleted after the except clause",
    ),
    (
        "star.py",
        "from os.path import *\n\nprint(join('a', environ))\n",
        "print(join('a', environ))",
        "environ is in os, not in os.path",
    ),
    (
        "delete.py",
        "def f():\n    value = 1\n    del value\n    return value\n",
        "return value",
        "value was deleted one line above",
    ),
    (
        "global.py",
        "count = 0\n\n\ndef up():\n    count += 1\n",
        "count += 1",
        "count is local in up: UnboundLocalError",
    ),
    (
        "typing_only.py",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from decimal import Decimal\n\nzero = Decimal(0)\n",
        "zero = Decimal(0)",
        "Decimal is imported for type checkers only",
    ),
    (
        "walrus.py",
        "if (found := None) is not None:\n    pass\nprint(found.name)\n",
        "print(found.name)",
        "found is None here in every case",
    ),
    (
        "method.py",
        "class Cart:\n    def total():\n        return 1\n",
        "def total():",
        "total takes no self and cannot be called on a cart",
    ),
    (
        "super.py",
        (
            "class Base:\n    def __init__(self):\n        self.rows = []\n\n\n"
            "class Child(Base):\n    def __init__(self):\n        self.name = 'x'\n"
        ),
        "self.name = 'x'",
        "Base.__init__ is not called, so rows is missing",
    ),
    (
        "app.js",
        "function f() {\n  return\n    { ok: true };\n}\n",
        "return",
        "A semicolon is inserted after return: f gives undefined",
    ),
    (
        "main.go",
        (
            "package main\n\nfunc f() error {\n\terr := g()\n\tif true {\n\t\terr := h()\n\t\t_ = err\n\t}\n"
            "\treturn err\n}\n"
        ),
        "err := h()",
        "The inner err shadows the outer one and is lost",
    ),
    ("deploy.yml", "on: push\nmode: 0755\n", "mode: 0755", "The mode is read as the number 493"),
)
"""Names and syntax: a file, its text, the code that is quoted, and a title."""

GUARD = (
    "guard.py",
    (
        "def withdraw(account, amount):\n    if amount > account.balance:\n        raise ValueError(amount)\n"
        "    account.balance -= amount\n"
    ),
    "def withdraw(account, amount):\n    account.balance -= amount\n",
    "if amount > account.balance:",
    "The check of the balance is removed",
)
"""A file before and after, the removed code that is quoted, and a title."""

TWO = (
    "two.py",
    "def send(host, body): return post('http://' + host, body, timeout=None)\n",
    "return post('http://' + host, body, timeout=None)",
    ("The body is sent without encryption", "A silent host blocks the sender for ever"),
)
"""A file, its text, the code that is quoted, and two problems of it."""
