"""Passing chances on along landings, root by root, until new roots are met."""

from __future__ import annotations

from numba import njit


# The signature makes numba compile when the module is loaded: no planning time pays for it.
@njit(
    "UniTuple(i8, 2)(f8[::1], b1[::1], b1[::1], i8[::1], i8[::1], i4[::1], f8[::1], f8, i8, "
    "b1[::1], b1[::1], f8[::1], i4[::1], i4[::1], i4[::1], i8)",
    cache=True,
    nogil=True,
)
def pass_on(
    waiting,
    known,
    live,
    starts,
    ends,
    states,
    chances,
    negligible,
    passes,
    reached,
    queued,
    amounts,
    touched,
    front,
    active,
    given,
):
    """What waits (S,) at known roots goes on along their rows, ``passes`` times at most, until some
    root is reached that is not known.

    Row s is ``starts[s]:ends[s]`` of states and chances; reached (S,) : marked where at least
    ``negligible`` has waited at once; queued (S,), amounts (S,), touched (S,) : scratch, queued all
    False before and after; active (S,) : its first ``given`` are all roots where something waits.
    Returns how many new roots there are, in ``front`` (S,), and how many known ones where something
    still waits: both together are the first ones of ``active`` then.
    """
    count, new = 0, 0
    for i in range(given):
        s = active[i]
        if live[s] and waiting[s] >= negligible:
            reached[s], queued[s] = True, True
            if known[s]:
                active[count] = s
                count += 1
            else:
                front[new] = s
                new += 1
    for _ in range(passes):
        if new or not count:
            break
        for i in range(count):
            s = active[i]
            amounts[i], waiting[s], queued[s] = waiting[s], 0.0, False
        more = 0
        for i in range(count):
            for e in range(starts[active[i]], ends[active[i]]):
                c = states[e]
                waiting[c] += amounts[i] * chances[e]
                if live[c] and not queued[c] and waiting[c] >= negligible:
                    queued[c], reached[c] = True, True
                    if known[c]:
                        touched[more] = c
                        more += 1
                    else:
                        front[new] = c
                        new += 1
        count = more
        active[:count] = touched[:count]
    active[count : count + new] = front[:new]
    queued[active[: count + new]] = False
    front[:new].sort()
    return new, count
