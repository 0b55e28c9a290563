"""A small neural network: hidden rectified units, and beside them a linear part.

The numbers of a network are fitted by bench/fit_forecast.py, which writes them as a dictionary in JSON: `base`, `bias`,
`out` [HIDDEN], `direct` [inputs], `hidden` [inputs][HIDDEN].
"""

cdef enum:
    HIDDEN = 24  # hidden units
    MAX_INPUTS = 128


cdef struct Network:
    int inputs
    float base
    float[HIDDEN] bias
    float[HIDDEN] out
    float[MAX_INPUTS] direct
    float[MAX_INPUTS][HIDDEN] hidden


cdef inline float predict(const Network* net, const float* x) noexcept nogil:
    """The network's value for `inputs` numbers; those that are 0 cost nothing."""
    cdef float[HIDDEN] unit
    cdef int i, j
    cdef float total = net.base
    for j in range(HIDDEN):
        unit[j] = net.bias[j]
    for i in range(net.inputs):
        if x[i] != 0:
            total += net.direct[i] * x[i]
            for j in range(HIDDEN):
                unit[j] += net.hidden[i][j] * x[i]
    for j in range(HIDDEN):
        if unit[j] > 0:
            total += net.out[j] * unit[j]
    return total


cdef inline int load(Network* net, dict numbers, int inputs) except -1:
    """Take over the numbers of a network with so many inputs.

    Raises ValueError where they are those of another one.
    """
    if not 0 < inputs <= MAX_INPUTS:
        raise ValueError(f"a network has 1 to {MAX_INPUTS} inputs; found {inputs}")
    for name, length in (("bias", HIDDEN), ("out", HIDDEN), ("direct", inputs), ("hidden", inputs)):
        if len(numbers[name]) != length:
            raise ValueError(f"{name}: wants {length} numbers; found {len(numbers[name])}")
    net.inputs = inputs
    net.base = numbers["base"]
    for j in range(HIDDEN):
        net.bias[<int>j] = numbers["bias"][j]
        net.out[<int>j] = numbers["out"][j]
    for i, row in enumerate(numbers["hidden"]):
        if len(row) != HIDDEN:
            raise ValueError(f"hidden[{i}]: wants {HIDDEN} numbers; found {len(row)}")
        net.direct[<int>i] = numbers["direct"][i]
        for j in range(HIDDEN):
            net.hidden[<int>i][<int>j] = row[j]
    return 0
