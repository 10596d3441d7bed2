"""The kinds of problems that reviewers tell of, each by the beginnings of words that give it away."""

from collections.abc import Mapping


def _stems(words: str) -> frozenset[str]:
    """Beginnings of words, an underscore for a space between two of them."""
    return frozenset(f" {word.replace('_', ' ')}" for word in words.split())


KINDS: Mapping[str, frozenset[str]] = {
    "injection": _stems(
        "apostrophe attacker bound_param concatenat crafted escap inject interpolat into_the_query into_the_sql"
        " metachar parameteris parameteriz placeholder prepared_st sanitis sanitiz shell sql sqli unescaped untrusted"
        " user_contr user_input user_suppl"
    ),
    "markup": _stems("cross_site_script dangerously html innerhtml markup script_tag xss"),
    "path": _stems("archive_entr directory_esc directory_trav dot_dot outside path_trav traversal zip_slip"),
    "deserialisation": _stems(
        "arbitrary_code deserial gadget pickl remote_code unmarshal unpickl unsafe_load yaml_load"
    ),
    "permission": _stems(
        "access_check access_control another_user any_user anybody anyone authori belong every_user idor no_check_that"
        " other_users owner ownership permiss privileg somebody_else tenant whoever"
    ),
    "identity": _stems("forge jwt not_verified self_made signature unverified verify_the"),
    "secret": _stems(
        "api_key bearer clear_text credential expos hard_coded in_the_log leaks_the log_contains logged logs_the"
        " password plain_text plaintext printed_to secret sensitive"
    ),
    "absence": _stems(
        "absent attributeerror can_be_no cannot_be_found dereferenc does_not_exist keyerror may_be_miss may_be_no"
        " nil no_row no_such none npe nullpointer null undefined unknown_id unset without_checking_that"
    ),
    "emptiness": _stems("divide_by division_by empty indexerror no_elements no_items zero_division zerodivision"),
    "race": _stems(
        "atomic at_the_same_time check_then concurren interleav last_writer lock lost_update mutex oversold parallel"
        " race read_modify simultan synchroni thread toctou two_requests updates_are_lost updates_get_lost"
    ),
    "halves": _stems(
        "all_or_nothing both_or crash_between half half_done half_way in_two partial rollback transaction"
    ),
    "leak": _stems(
        "clos defer_ descriptor dispose goroutine_leak leak never_released not_released release stays_open with_block"
    ),
    "bounds": _stems(
        "boundar bounds exclusive fence final_item first_page inclusive last_element last_item last_page last_row"
        " off_by one_short one_too skipped_at the_last too_early too_far upper_bound"
    ),
    "swallowed": _stems(
        "bare_except broad catch_all discard errors_are_ hides hidden ignored silent suppress swallow unchecked_err"
    ),
    "one by one": _stems(
        "batch eager for_each for_every in_a_loop inside_the_loop n_1 n_plus one_query one_request per_item per_order"
        " per_row prefetch queries_for query_for query_in query_per round_trip"
    ),
    "quadratic": _stems("linear membership nested_loop o_n quadratic scans_the"),
    "unbounded": _stems(
        "all_rows at_once evict grow memory no_limit no_upper paginat unbounded whole_table without_limit"
    ),
    "await": _stems("async await coroutine fire_and floating promise unhandled_rej"),
    "condition": _stems(
        "condition_is inverted logical_op logic_is negat opposite other_way reversed swapped turned_round wrong_bool"
        " wrong_cond wrong_way"
    ),
    "again": _stems(
        "again called_twice charged double duplicat each_attempt idempot new_key once_more redeliver repeat retried"
        " retries retry second_time sent_twice twice"
    ),
    "money": _stems("cent cents decimal float fraction integer_div precision round truncat"),
    "overflow": _stems("32_bit cast cut_off int32 narrow overflow truncat u32 wrap"),
    "time": _stems("23_or_25 24_hour clock daylight dst local_time midnight naive offset time_zone timezone utc zone"),
    "stale": _stems("cache invalidat lacks_the outdated stale ttl"),
    "shared": _stems("alias between_calls default_arg mutable mutat same_hash same_list same_object share shared"),
    "equality": _stems("boxed by_reference compare equality equals identity object_ident"),
    "waiting": _stems("deadline for_ever forever hang indefinite time_limit time_out timeout"),
    "vacuous test": _stems("always_pass assert cannot_fail never_fail tautolog vacuous"),
    "words": _stems("changelog comment docs docstring documentation readme"),
    "deadlock": _stems("deadlock inconsistent_order lock_order opposite_order"),
    "randomness": _stems("csprng entropy guess predictable"),
    "redirect": _stems("arbitrary_site open_redirect phish redirect"),
    "order": _stems("not_sorted sort_order sorted unordered unsorted unstable"),
    "unused": _stems("dead_code never_read never_used not_used redundant unreachable unused"),
    "contract": _stems("callers callsite call_site other_caller signature_ch still_pass unchanged_caller"),
}
