"""How kernels are merged into loops: as numba does it, without what is done twice.

Where ``inline="always"`` asks for it, numba translates the callee anew for each call, and then
copies the result twice, block by block, each with all names of the function. With kernels in
kernels in loops that was a third of the time that a small game takes to compile. What has just
been made for this one call needs no copy; numba has no setting for that.

Every other kernel numba has LLVM optimize and turn into machine code by itself, with everything
that it calls, and once more in each of its callers. That was half of the time. Nothing but a loop
is ever run, so kernels stay as they were lowered until a loop has them all. Then one round is
enough of numba's three: the first two are for counts of references, and there are none here.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.inline_closurecall import InlineWorker
from numba.core.typed_passes import NativeLowering
from numba.core.untyped_passes import InlineInlinables

from cyberdeck.engine.mistakes import record_failure


def _with(passes: PassManager, lowering: Any = NativeLowering) -> PassManager:
    """*passes* with ours in the place of numba's own."""
    ours = {InlineInlinables: InlineKernels, NativeLowering: lowering}
    passes.passes = [(ours.get(made, made), name) for made, name in passes.passes]
    passes.finalize()
    return passes


def _untyped(state: Any) -> PassManager:
    return _with(DefaultPassBuilder.define_untyped_pipeline(state))


class _Inliner(InlineWorker):
    def __init__(self, state: Any) -> None:
        super().__init__(
            state.typingctx, state.targetctx, state.locals, state.pipeline, state.flags
        )
        self._compiler_pipeline: Any = _untyped

    def inline_ir(
        self, caller_ir: Any, block: Any, i: Any, callee_ir: Any, *rest: Any, **types: Any
    ) -> Any:
        blocks = list(callee_ir.blocks.values())
        for own in blocks:
            own.__deepcopy__ = lambda memo, own=own: own
        merged = super().inline_ir(caller_ir, block, i, callee_ir, *rest, **types)
        for own in blocks:
            del own.__deepcopy__
        return merged


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineKernels(InlineInlinables):
    """numba's pass, with our inliner."""

    _name = "inline_kernels"

    def _do_work(
        self, state: Any, work_list: Any, block: Any, i: Any, expr: Any, inline_worker: Any
    ) -> Any:
        return super()._do_work(state, work_list, block, i, expr, _Inliner(state))


class AsLowered(CPUCodeLibrary):
    """Code that is not optimized function by function."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Only what the original does besides: LLVM would lose calls by which others are found."""
        ll_module.data_layout = self._codegen._data_layout


class _Kernel(AsLowered):
    """A kernel's code as it was lowered, and all kernels below it."""

    def add_linking_library(self, library: Any) -> None:
        if library not in self._linking_libraries:
            super().add_linking_library(library)

    def finalize(self) -> None:
        self._finalized = True


class _Loop(AsLowered, JITCodeLibrary):
    """A loop's code with that of all its kernels, which LLVM goes over once, as a whole."""

    def _optimize_final_module(self) -> None:
        for each in self._final_module.functions:
            if not each.is_declaration and each.linkage.name == "linkonce_odr":
                each.linkage = "internal"
        self._optimize_functions(self._final_module)
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerKernel(NativeLowering):
    """numba's pass, which ends here with code for LLVM."""

    _name = "lower_kernel"

    def run_pass(self, state: Any) -> bool:
        library = state.library = _Kernel(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_cpython_wrapper = state.flags.no_compile = True
        super().run_pass(state)
        key: Any = [].append  # numba tells functions apart by what it calls: each has its own
        below = library._linking_libraries
        state.targetctx.insert_user_function(key, state["cr"].fndesc, [library, *below])
        state["cr"] = state["cr"]._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerLoop(NativeLowering):
    """numba's pass, with our library."""

    _name = "lower_loop"

    def run_pass(self, state: Any) -> bool:
        state.library = _Loop(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        super().run_pass(state)
        return True


class LoopCompiler(CompilerBase):
    """numba's compiler, with our passes in the place of its own."""

    lowering: Any = LowerLoop

    def compile_extra(self, func: Any) -> Any:
        with record_failure(func):
            return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        return [_with(DefaultPassBuilder.define_nopython_pipeline(self.state), self.lowering)]


class KernelCompiler(LoopCompiler):
    """The same for what is only called by loops."""

    lowering = LowerKernel
