"""Changes of files that a grammar does not take as they are: only what makes them worse counts."""

import pytest

from kodiai.core.code.new_errors import has_new_error
from kodiai.core.code.outline import first_error
from tests.tables import each_row

BRANCHES = """\
int f(int a) {
#ifdef ONE
  if (a) {
#elif defined(TWO)
  if (a > 2) {
#else
  if (!a) {
#endif
    g(a);
    return 1;
  }
  return 0;
}
"""
MACROS = """\
#define LIMIT(n) ((n) > 10 ? 10 : (n))
#define EACH(x) \\
  do { \\
    use_##x(#x); \\
  } while (0)
static INLINE int count(list *all) {
  int n = 0;
  foreach(all, x) {
    n += weigh(x);
  }
  return n;
}
API(int) total(list *all);
int last;
"""
CPP = """\
namespace shop {
class SHOP_API Cart {
 public:
  virtual ~Cart();
  Cart& operator=(const Cart&) = delete;
  template <typename T> T total(T least) const EXCLUDES(lock) {
    return sum() > least ? sum() : least;
  }
 private:
  std::vector<int> values_ GUARDED_BY(lock);
};
MATCHER(IsOk, "") { return arg.ok(); }
TEST_F(Cart, Empty) {
  EXPECT_EQ(0, total(0));
}
}
"""
CSHARP = """\
class A {
#if NET
    void F(int a)
#else
    void F(long a)
#endif
    {
        var text = $$\"\"\"{ {{a}} \"\"\";
        G(text);
    }
}
"""
BEGIN = """\
BEGIN_TESTS
test(one) {
  run(1);
}
}
"""
DECLARED = """\
DECLARE (copy, char *,
         (char *restrict to, char const *restrict from)
         NONNULL ((1)));
DECLARE_TOO (copy, char *,
             (char *restrict to, char const *restrict from));
"""
BASH = """\
case $1 in
  a) echo "${(q)2}" ;;
esac
f() {
  echo one
}
"""
FILES = {
    "branches.c": BRANCHES,
    "macros.c": MACROS,
    "cart.h": CPP,
    "A.cs": CSHARP,
    "begin.c": BEGIN,
    "gl.h": DECLARED,
    "a.sh": BASH,
    "guarded.h": "#ifndef GUARDED_H\n#define GUARDED_H\nBEGIN_NAMES\nint f();\nint g();\nEND_NAMES\n#endif",
}


def breaks(path: str, old: str, new: str) -> bool:
    text = FILES[path]
    assert text.count(old) == 1
    return has_new_error(path, text.replace(old, new).split("\n"), text.split("\n"))


@pytest.mark.parametrize("path", FILES)
def test_good_code_may_have_errors_for_its_grammar(path: str) -> None:
    """Macros and branches of a preprocessor take the place of syntax; some syntax is newer than the grammar."""
    lines = FILES[path].split("\n")

    assert first_error(path, lines) is not None
    assert not has_new_error(path, lines, lines)


@each_row(
    ("path", "old", "new"),
    [
        ("branches.c", "g(a);", "g(a, 1);"),
        ("branches.c", "if (!a) {", "if (a < 0) {"),
        ("branches.c", "if (a > 2) {", "if (a > 3) {"),
        ("branches.c", "defined(TWO)", "defined(THREE)"),
        ("branches.c", "    g(a);", "#if LOG\n    log(a);\n#endif\n    g(a);"),
        ("branches.c", "#elif defined(TWO)\n  if (a > 2) {\n", ""),
        ("macros.c", "n += weigh(x);", "n += 2 * weigh(x);"),
        ("macros.c", "foreach(all, x)", "foreach(all, y)"),
        ("macros.c", "use_##x(#x);", "use_##x(#x, 1);"),
        ("macros.c", "10 : (n))", "20 : (n))"),
        ("macros.c", "INLINE int", "INLINE long"),
        ("macros.c", "API(int)", "API(long)"),
        ("macros.c", "int last;", "long last;"),
        ("cart.h", "sum() > least ? sum() : least;", "std::max(sum(), least);"),
        ("cart.h", "EXPECT_EQ(0, total(0));", "EXPECT_EQ(0u, total(0));\n  EXPECT_TRUE(empty());"),
        ("cart.h", "std::vector<int>", "std::vector<long>"),
        ("A.cs", "G(text);", "G(text, a);"),
        ("A.cs", "F(long a)", "F(long? a)"),
        ("begin.c", "run(1);", "run(2);"),
        ("a.sh", "echo one", "echo two"),
    ],
)
def test_an_error_that_was_there_before_is_no_new_one(path: str, old: str, new: str) -> None:
    """A good change next to it brings none."""
    assert not breaks(path, old, new)


@each_row(
    ("path", "old", "new"),
    [
        ("branches.c", "g(a);", "g(a;"),
        ("branches.c", "g(a);", "g(a)"),
        ("branches.c", "g(a);", "g(a);\n  }"),
        ("branches.c", "g(a);", "{\n    g(a);"),
        ("branches.c", "if (!a) {", "if (!a)"),
        ("branches.c", "if (a > 2) {", "if (a > 2 {"),
        ("branches.c", "#else\n", "#else\n#else\n"),
        ("branches.c", "defined(TWO)", "defined(TWO"),
        ("branches.c", "#endif\n", ""),
        ("branches.c", "    g(a);", "#if LOG\n    g(a);"),
        ("branches.c", "    g(a);", "    g(a);\n#endif"),
        ("guarded.h", "int g();", "int g();\n#else"),
        ("macros.c", "int n = 0;", "int n =\n  if (all) return 1;"),
        ("macros.c", "n += weigh(x);", "weigh(x)\n    weigh(x, n);"),
        ("branches.c", "    g(a);", "    g(a\n#if LOG\n    );\n#endif"),
        ("macros.c", "n += weigh(x);", "n += weigh(x)"),
        ("macros.c", "int n = 0;", "int n ="),
        ("macros.c", "foreach(all, x) {", "foreach(all, x)"),
        ("macros.c", "use_##x(#x); \\", "use_##x(#x; \\"),
        ("macros.c", "use_##x(#x); \\", "use_##x(#x);"),
        ("macros.c", "10 : (n))", "10 : (n)"),
        ("macros.c", "INLINE int count(list *all)", "INLINE int count(list *all"),
        ("macros.c", "API(int) total(list *all);", "API(int) total(list *all)"),
        ("cart.h", "sum() > least ? sum() : least;", "std::max(sum(), least;"),
        ("cart.h", "EXPECT_EQ(0, total(0));", "EXPECT_EQ(0, total(0));\n}"),
        ("cart.h", "return arg.ok();", "return arg.ok(;"),
        ("cart.h", "std::vector<int>", "std::vector<int"),
        ("A.cs", "G(text);", "G(text"),
        ("A.cs", "G(text);", "G(text);\n    }"),
        ("A.cs", "F(long a)", "F(long a"),
        ("begin.c", "run(1);", "{\n  run(1);"),
        ("begin.c", "run(1);", "run(1;"),
        ("gl.h", "((1)));", "((1));"),
        ("a.sh", "echo one", 'echo "one'),
        ("a.sh", "echo one", "if true; then\n  echo one"),
    ],
)
def test_a_change_that_makes_the_file_worse_is_a_new_error(path: str, old: str, new: str) -> None:
    """In each branch that changed lines are in; an error that goes away elsewhere has only moved."""
    assert breaks(path, old, new)


@each_row(
    ("path", "old", "new"),
    [
        ("a.js", "f(1 2);\ng();\nh(1;", "f(1, 2);\ng();\nh(1;"),
        ("a.go", "package a\nfunc f() {\nfunc g() {}\n", "package a\nfunc f() {\n}\nfunc g() {}\n"),
        ("a.c", "int a = 1\nint b;\nint c = (2;", "int a = 1;\nint b;\nint c = (2;"),
        ("a.py", "def f(:\n    return 1", "def f():\n    return 1"),
        ("a.js", "const a: number = 1;\nf();", "const a: number = 1;\nf(2);"),
        ("a.js", "function f() {\n  await g();\n  h(1);\n}", "function f() {\n  await g();\n  h(2);\n}"),
    ],
)
def test_a_change_may_fix_one_of_several_errors(path: str, old: str, new: str) -> None:
    """The other errors stay; a file that had any is as good for this as one that had none."""
    assert not has_new_error(path, new.split("\n"), old.split("\n"))


@each_row(
    ("path", "old", "new"),
    [("a.py", "print 'a'\nf(1)", "print 'a'\nf(2)"), ("a.js", "f(1);", "f(" + "(" * 2_000 + "1" + ")" * 2_000 + ");")],
)
def test_a_file_has_to_be_right_for_what_a_compiler_and_limits_say(path: str, old: str, new: str) -> None:
    """A compiler tells its first error only, so that what is behind it is unknown."""
    assert has_new_error(path, new.split("\n"), old.split("\n"))


def test_nothing_is_known_of_a_file_that_no_grammar_reads() -> None:
    for path, old in (("a.swift", "f(1)"), ("a.js", "(" * 2_000)):
        with pytest.raises(ValueError, match="no grammar reads it"):
            has_new_error(path, ["f(2)"], [old])
