# Compiles a list of operator calls to a package with AOTInductor. Run by the variant `inductor`:
#   compile.py FOLDER     reads FOLDER/calls.json and FOLDER/constants.pt, writes FOLDER/model.pt2
# calls.json: {"inputs":[{dtype, shape, strides}…], "calls":[{op, args, out}…], "results":[value…]}.
# A value is {"name":…}, {"constant":…}, {"list":[value…]}, {"literal":…}, {"number":"nan"}, {"dtype":…},
# {"device":…}, {"layout":…}, {"memory_format":…} or {"complex":[re,im]}.

import json
import sys

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
    def __init__(self, calls, results, constants):
        super().__init__()
        self.calls, self.results = calls, results
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


def main(folder):
    torch.set_num_threads(1)
    with open(f"{folder}/calls.json", encoding="utf-8") as file:
        spec = json.load(file)
    constants = torch.load(f"{folder}/constants.pt", weights_only=False)  # written by the caller
    examples = tuple(
        torch.empty_strided(i["shape"], i["strides"], dtype=getattr(torch, i["dtype"])).zero_()
        for i in spec["inputs"]
    )
    # Whether this machine's vectors can be used is tried by loading a library that is linked to torch:
    # before the option below, which would make it fail and the code scalar.
    cpu_vec_isa.pick_vec_isa()
    with torch.no_grad():
        program = Program(spec["calls"], spec["results"], constants)
        exported = torch.export.export(program, examples, strict=False)
        torch._inductor.aoti_compile_and_package(
            exported,
            package_path=f"{folder}/model.pt2",
            # What loads the package holds torch already, without its CUDA half.
            inductor_configs={"cpp.threads": 1, "aot_inductor.link_libtorch": False},
        )


try:
    main(sys.argv[1])
except Exception as error:  # one line for a person; the whole is on standard error above it
    import traceback

    traceback.print_exc()
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    print(f"{type(error).__name__}: {lines[0]}", file=sys.stderr)
    sys.exit(1)
