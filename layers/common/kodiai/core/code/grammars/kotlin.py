"""Kotlin."""

from kodiai.core.code.grammar import Grammar

_OUTLINE = """
(function_declaration name: (_) @name) @function
(secondary_constructor "constructor" @name) @function
(class_declaration "class" name: (_) @name) @class
(class_declaration "interface" name: (_) @name) @interface
(object_declaration name: (_) @name) @class
(companion_object "companion" @name) @class
(type_alias type: (_) @name) @type
(import) @import
[(line_comment) (block_comment)] @lead
"""
_NAMES = """
[(function_declaration) (secondary_constructor) (anonymous_function) (lambda_literal)] @scope
(function_declaration name: (_) @own)
[
  (class_declaration name: (_) @bind)
  (object_declaration name: (_) @bind)
  (type_alias type: (_) @bind)
  (variable_declaration . (identifier) @bind)
  (parameter . (identifier) @bind)
  (class_parameter (identifier) @bind)
  (catch_block . (identifier) @bind)
  (type_parameter (identifier) @bind)
  (import (qualified_identifier (identifier) @bind .) .)
  (import (qualified_identifier) (identifier) @bind)
]
(import "*") @open
(import (qualified_identifier (identifier) @unbound) "*")
"""

GRAMMAR = Grammar(
    module="tree_sitter_kotlin",
    outline=_OUTLINE,
    names=_NAMES,
    builtins=frozenset(
        """
        Any Array ArrayList Boolean Byte Char CharSequence Comparable Deprecated Double Enum Error Exception Float
        HashMap HashSet IllegalArgumentException IllegalStateException IndexOutOfBoundsException Int IntArray IntRange
        Iterable Iterator JvmField JvmOverloads JvmStatic Lazy LinkedHashMap List Long Map MutableList MutableMap
        MutableSet NoSuchElementException Nothing NullPointerException Number NumberFormatException Pair Regex Result
        RuntimeException Sequence Set Short String StringBuilder Suppress Throwable Triple UInt ULong Unit
        UnsupportedOperationException also apply arrayOf arrayOfNulls buildList buildMap buildString check checkNotNull
        emptyList emptyMap emptySet enumValues error false field generateSequence hashMapOf hashSetOf intArrayOf it lazy
        lazyOf let linkedMapOf listOf listOfNotNull mapOf mutableListOf mutableMapOf mutableSetOf null print println
        readLine repeat require requireNotNull run runCatching sequence sequenceOf setOf super synchronized takeIf
        takeUnless this to true use with
        """.split()
    ),
)
