from cyberdeck.engine.kernels import kernel


@kernel
def heuristic(state, mask, luck):
    for action in range(len(mask)):
        if mask[action]:
            return action
    return 0
