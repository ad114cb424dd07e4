"""A binary heap of node numbers, least bound first, compiled."""

from __future__ import annotations

from numba import njit


@njit(cache=True, inline="always")
def _before(x, y, f, depth):
    """Whether node x is served before y: the lesser bound, then the deeper one."""
    return f[x] < f[y] or (f[x] == f[y] and depth[x] > depth[y])


@njit(cache=True, nogil=True)
def push(heap, size, node, f, depth):
    """Add a node to a heap of ``size`` nodes."""
    at = size
    while at > 0 and _before(node, heap[(at - 1) // 2], f, depth):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = node


@njit(cache=True, nogil=True)
def pop(heap, size, f, depth):
    """Take the first node from a heap of ``size`` nodes."""
    top, node, at = heap[0], heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        down = 2 * at + 1
        if down + 1 < size - 1 and _before(heap[down + 1], heap[down], f, depth):
            down += 1
        if not _before(heap[down], node, f, depth):
            break
        heap[at] = heap[down]
        at = down
    heap[at] = node
    return top
