"""How kernels are merged into their callers: as numba does it, without its copies.

Where ``inline="always"`` asks for it, numba translates the callee anew for each call, and then
copies the result twice, block by block, each with all names of the function. With kernels in
kernels in loops that was a third of the time that a small game takes to compile. What has just
been made for this one call needs no copy.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.inline_closurecall import InlineWorker
from numba.core.untyped_passes import InlineInlinables


def _with_our_inlining(passes: PassManager) -> PassManager:
    passes.passes = [
        (InlineKernels if made is InlineInlinables else made, told) for made, told in passes.passes
    ]
    passes.finalize()
    return passes


def _untyped(state: Any) -> PassManager:
    return _with_our_inlining(DefaultPassBuilder.define_untyped_pipeline(state))


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


class KernelCompiler(CompilerBase):
    """numba's compiler, with our pass in the place of its own."""

    def define_pipelines(self) -> list[PassManager]:
        return [_with_our_inlining(DefaultPassBuilder.define_nopython_pipeline(self.state))]
