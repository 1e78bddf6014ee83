# Compiles lists of operator calls to packages with AOTInductor. Run by the variant `inductor`:
#   compile.py FOLDER   reads FOLDER/calls.json and FOLDER/constants.pt, writes packages and FOLDER/done.json
# calls.json: [[program…]…], each group to become one package;
# a program is {"inputs":[{dtype, shape, strides, dynamic: [dimension of any size…]}…], "calls":[{op, args, out}…], "results":[value…]}.
# A value is {"name":…}, {"constant":…}, {"list":[value…]}, {"literal":…}, {"number":"nan"}, {"dtype":…},
# {"device":…}, {"layout":…}, {"memory_format":…} or {"complex":[re,im]}.
# constants.pt: a list for each program. done.json: [{"programs":[place…], "package":name or "why":words}…].

import json
import sys
import traceback

import torch
from torch._inductor import cpu_vec_isa

# What the tracer writes for sizes that the program read: plain numbers here.
NUMBERS = {
    "prim::NumToTensor": lambda x: x,
    "aten::Int": int,
    "aten::Float": float,
    "aten::ScalarImplicit": lambda x: x,
    "aten::IntImplicit": int,
    "aten::FloatImplicit": float,
}


def operator(name):
    namespace, rest = name.split("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")


class Program(torch.nn.Module):
    def __init__(self, spec, constants):
        super().__init__()
        self.calls, self.results, self.count = spec["calls"], spec["results"], len(spec["inputs"])
        for i, tensor in enumerate(constants):
            self.register_buffer(f"c{i}", tensor)

    def value(self, key, known):
        ((kind, what),) = key.items()
        if kind == "name":
            return known[what]
        if kind == "constant":
            return getattr(self, f"c{what}")
        if kind == "list":
            return [self.value(item, known) for item in what]
        if kind == "number":
            return float(what)
        if kind == "complex":
            return complex(*map(float, what))
        if kind in ("dtype", "layout", "memory_format"):
            return getattr(torch, what)
        return torch.device(what) if kind == "device" else what

    def forward(self, *inputs):
        known = {f"input {i}": tensor for i, tensor in enumerate(inputs)}
        for call in self.calls:
            args = [self.value(key, known) for key in call["args"]]
            named = {name: self.value(key, known) for name, key in call.get("named", {}).items()}
            if call["op"] == "prim::ListUnpack":
                results = args[0]
            elif call["op"] in NUMBERS:
                results = NUMBERS[call["op"]](*args)
            else:
                results = operator(call["op"])(*args, **named)
            if len(call["out"]) == 1:
                results = (results,)
            known.update(zip(call["out"], results))
        return tuple(self.value(key, known) for key in self.results)


class Together(torch.nn.Module):
    """Programs one after the other, of all their inputs; nothing is shared between them."""

    def __init__(self, programs):
        super().__init__()
        self.programs = torch.nn.ModuleList(programs)

    def forward(self, *inputs):
        results = ()
        for program in self.programs:
            results += program(*inputs[: program.count])
            inputs = inputs[program.count :]
        return results


def compile_together(programs, package):
    examples = [
        torch.empty_strided(i["shape"], i["strides"], dtype=getattr(torch, i["dtype"])).zero_()
        for spec, _ in programs
        for i in spec["inputs"]
    ]
    whole = Together([Program(spec, constants) for spec, constants in programs])
    open_sizes = tuple(
        {d: torch.export.Dim.AUTO for d in i.get("dynamic", [])}
        for spec, _ in programs
        for i in spec["inputs"]
    )
    exported = torch.export.export(
        whole,
        tuple(examples),
        dynamic_shapes={"inputs": open_sizes} if any(open_sizes) else None,
        strict=False,
    )
    torch._inductor.aoti_compile_and_package(
        exported,
        package_path=package,
        # What loads the package holds torch already, without its CUDA half.
        inductor_configs={"cpp.threads": 1, "aot_inductor.link_libtorch": False},
    )


def first_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[0]}"


def compile_group(places, programs, folder, done):
    """One package of them all; where the compiler refuses that, of each half, down to single programs."""
    package = f"{len(done)}.pt2"
    try:
        compile_together([programs[i] for i in places], f"{folder}/{package}")
        done.append({"programs": places, "package": package})
    except Exception as error:
        traceback.print_exc()
        if len(places) == 1:
            done.append({"programs": places, "why": first_line(error)})
            return
        half = len(places) // 2
        compile_group(places[:half], programs, folder, done)
        compile_group(places[half:], programs, folder, done)


def main(folder):
    torch.set_num_threads(1)
    with open(f"{folder}/calls.json", encoding="utf-8") as file:
        groups = json.load(file)
    constants = torch.load(f"{folder}/constants.pt", weights_only=False)  # written by the caller
    programs = list(zip((spec for group in groups for spec in group), constants))
    # Whether this machine's vectors can be used is tried by loading a library that is linked to torch:
    # before the option above, which would make it fail and the code scalar.
    cpu_vec_isa.pick_vec_isa()
    done = []
    first = 0
    with torch.no_grad():
        for group in groups:
            compile_group(list(range(first, first + len(group))), programs, folder, done)
            first += len(group)
    with open(f"{folder}/done.json", "w", encoding="utf-8") as file:
        json.dump(done, file)


try:
    main(sys.argv[1])
except Exception as error:  # one line for a person; the whole is on standard error above it
    traceback.print_exc()
    print(first_line(error), file=sys.stderr)
    sys.exit(1)
