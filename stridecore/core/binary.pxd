# Both give None for what the engine has no rows for; `out` is a tensor or None.
cdef object short_way(int op, object left, object right, object out)
# The short way or else the broad one; `name` is the function's, for messages.
cdef object computed(int op, object left, object right, object out, str name)
