"""An ONNX file read and run in plain Python: a decoder of the wire format and the operations that `export --format onnx` uses.

A tensor is (dims, values): values in one list, last axis fastest. Slow, meant for a few rows.
"""

import itertools
import math
import struct


def fields_of(data):
    """(field, value) of a message: ints, floats of 4 bytes as bytes, and bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value if value < 1 << 63 else value - (1 << 64)

    while at < len(data):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
        else:
            size = 4 if kind == 5 else varint()
            assert kind in (2, 5), f"wire type {kind}"
            yield tag >> 3, data[at:at + size]
            at += size


def all_of(data, field):
    return [value for number, value in fields_of(data) if number == field]


def tensor_of(data):
    dims = all_of(data, 1)
    raw = all_of(data, 9)[0]
    kind = {1: "f", 11: "d"}[all_of(data, 2)[0]]
    return all_of(data, 8)[0].decode(), (dims, list(struct.unpack(f"<{len(raw) // struct.calcsize(kind)}{kind}", raw)))


def attribute_of(data):
    name, kind = all_of(data, 1)[0].decode(), all_of(data, 20)[0]
    value = {1: lambda: struct.unpack("<f", all_of(data, 2)[0])[0], 2: lambda: all_of(data, 3)[0],
             7: lambda: all_of(data, 8)}[kind]()
    return name, value


def strides_of(dims):
    strides, step = [], 1
    for dim in reversed(dims):
        strides.insert(0, step)
        step *= dim
    return strides


def positions(dims):
    return itertools.product(*(range(dim) for dim in dims))


def flat(place, strides):
    return sum(p * s for p, s in zip(place, strides))


def broadcast(function, a, b):
    rank = max(len(a[0]), len(b[0]))
    padded = [[1] * (rank - len(dims)) + list(dims) for dims, _ in (a, b)]
    dims = [max(x, y) for x, y in zip(*padded)]
    steps = [[0 if dim == 1 else step for dim, step in zip(shape, strides_of(shape))] for shape in padded]
    return dims, [function(a[1][flat(p, steps[0])], b[1][flat(p, steps[1])]) for p in positions(dims)]


def every(function):
    return lambda x: (x[0], [function(v) for v in x[1]])


def gemm(x, weight, bias):
    (rows, inputs), (_, units) = x[0], weight[0]
    return [rows, units], [bias[1][u] + sum(x[1][r * inputs + i] * weight[1][i * units + u] for i in range(inputs))
                           for r in range(rows) for u in range(units)]


def transpose(x, perm):
    dims, steps = [x[0][axis] for axis in perm], strides_of(x[0])
    return dims, [x[1][flat(place, [steps[axis] for axis in perm])] for place in positions(dims)]


def windows(x, kernel, strides, pads, dilations):
    """For each (row, position) of the result the places inside the image that its window covers."""
    height, width = x[0][2:]
    sizes = [(size + pads[i] + pads[i + 2] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
             for i, size in enumerate((height, width))]
    for row, top, left in positions([x[0][0], *sizes]):
        places = [(k, y, z) for k, (i, j) in enumerate(positions(kernel))
                  if 0 <= (y := top * strides[0] + i * dilations[0] - pads[0]) < height
                  and 0 <= (z := left * strides[1] + j * dilations[1] - pads[1]) < width]
        yield row, top, left, places, sizes


def over_windows(x, channels, value, kernel_shape, strides, pads=(0, 0, 0, 0), dilations=(1, 1)):
    out, sizes = {}, None
    for row, top, left, places, sizes in windows(x, kernel_shape, strides, pads, dilations):
        for channel in range(channels):
            out[row, channel, top, left] = value(row, channel, places)
    dims = [x[0][0], channels, *sizes]
    return dims, [out[place] for place in positions(dims)]


def conv(x, weight, bias, group, **more):
    units, inputs, *kernel = weight[0]
    area, steps = math.prod(kernel), strides_of(x[0])

    def value(row, unit, places):
        first = unit // (units // group) * inputs
        return bias[1][unit] + sum(weight[1][(unit * inputs + c) * area + k] * x[1][flat((row, first + c, y, z), steps)]
                                   for c in range(inputs) for k, y, z in places)

    return over_windows(x, units, value, **more)


def pool(choose):
    def run(x, **more):
        steps = strides_of(x[0])
        return over_windows(x, x[0][1], lambda row, c, places: choose([x[1][flat((row, c, y, z), steps)]
                                                                       for _, y, z in places]), **more)
    return run


def by_last_axis(function):
    def run(x, *rest, **more):
        size, out = x[0][-1], []
        for start in range(0, len(x[1]), size):
            out += function(x[1][start:start + size], *(tensor[1] for tensor in rest), **more)
        return x[0], out
    return run


def softmax(values, axis):
    assert axis == -1
    shifted = [math.exp(v - max(values)) for v in values]
    return [v / sum(shifted) for v in shifted]


def layer_norm(values, scale, shift, axis, epsilon):
    assert axis == -1
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values) + epsilon)
    return [(v - mean) / deviation * a + b for v, a, b in zip(values, scale, shift)]


def argmax(x, axis, keepdims):
    assert axis == -1 and keepdims == 0
    dims, places = by_last_axis(lambda values: [values.index(max(values))])(x)
    return dims[:-1], places


def columns_beside(*tables, axis):
    assert axis == 1 and all(len(dims) == 2 for dims, _ in tables)
    rows, width = tables[0][0][0], sum(dims[1] for dims, _ in tables)
    values = [v for row in range(rows) for dims, all_values in tables for v in all_values[row * dims[1]:(row + 1) * dims[1]]]
    return [rows, width], values


def reduce_mean(x, axes, keepdims):
    assert axes == [1, 2] and keepdims == 0
    rows, height, width, channels = x[0]
    return [rows, channels], [sum(x[1][(r * height * width + i) * channels + c] for i in range(height * width))
                              / (height * width) for r in range(rows) for c in range(channels)]


def cast(x, to):
    assert to == 1, "only to floats"
    return every(lambda v: struct.unpack("<f", struct.pack("<f", v))[0])(x)


OPERATIONS = {
    "Add": lambda a, b: broadcast(lambda x, y: x + y, a, b),
    "Sub": lambda a, b: broadcast(lambda x, y: x - y, a, b),
    "Mul": lambda a, b: broadcast(lambda x, y: x * y, a, b),
    "Relu": every(lambda v: max(v, 0.0)),
    "Tanh": every(math.tanh),
    "Sigmoid": every(lambda v: 1 / (1 + math.exp(-v))),
    "Erf": every(math.erf),
    "Concat": columns_beside,
    "Cast": cast,
    "Identity": lambda x: x,
    "Flatten": lambda x, axis: ([x[0][0], math.prod(x[0][1:])], x[1]),
    "Gemm": gemm,
    "Transpose": transpose,
    "Conv": conv,
    "MaxPool": pool(max),
    "AveragePool": pool(lambda values: sum(values) / len(values)),
    "ReduceMean": reduce_mean,
    "Softmax": by_last_axis(softmax),
    "ArgMax": argmax,
    "LayerNormalization": by_last_axis(layer_norm),
}


def run(path, rows):
    """The outputs by name for rows of inputs (flat lists), and the operations that were run."""
    data = path.read_bytes()
    graph = all_of(data, 7)[0]
    tensors = dict(tensor_of(entry) for entry in all_of(graph, 5))
    declared = all_of(graph, 11)[0]
    shape = all_of(all_of(all_of(declared, 2)[0], 1)[0], 2)[0]
    dims = [len(rows)] + [all_of(dim, 1)[0] for dim in all_of(shape, 1)[1:]]
    tensors[all_of(declared, 1)[0].decode()] = (dims, [float(v) for row in rows for v in row])
    used = []
    for node in all_of(graph, 1):
        operation = all_of(node, 4)[0].decode()
        inputs = [tensors[name.decode()] for name in all_of(node, 1)]
        attributes = dict(attribute_of(entry) for entry in all_of(node, 5))
        tensors[all_of(node, 2)[0].decode()] = OPERATIONS[operation](*inputs, **attributes)
        used.append(operation)
    names = [all_of(entry, 1)[0].decode() for entry in all_of(graph, 12)]
    return {name: tensors[name] for name in names}, used
