"""Teach a transformer of a million parameters tic-tac-toe with TRL: first to answer, then by GRPO.

Nothing is downloaded: the model and its tokenizer are made here. In a few minutes the model learns
how to answer. To play better than at random takes longer; this does it, and keeps the curve:

    python trl_grpo.py --whole curve

Needs cyberdeck with the extras trl and evaluate (docs/install.md).
"""

import argparse
import json
import os
import random
import re
import statistics
import time
from pathlib import Path

import trl
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    TrainerCallback,
    set_seed,
)
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from cyberdeck import load_file, notation
from cyberdeck.evaluation.plots import drawn
from cyberdeck.text.trl import environment_factory

#: Games to learn the form from, steps of GRPO, and games on unseen seeds: briefly, with --whole.
BRIEF, WHOLE = (1_600, 3, 50), (20_000, 250, 2_000)
#: How many games GRPO plays at once, and how many of them are the same game.
AT_ONCE, GENERATIONS = 64, 8
HIDDEN, LAYERS, HEADS = 192, 2, 6
#: What is a token of its own: a cell of the board or a number, and who speaks. Each text between
#: two of these is a token, too.
PART = r" [.\d]|assistant\n"
#: For both kinds of training.
ON_A_CPU = {
    "output_dir": "trained",
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "report_to": "none",
    "save_strategy": "no",
    "disable_tqdm": True,
}

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"  # environment_factory is experimental
GAME = load_file(Path(__file__).parent / "games" / "tictactoe.py").name
make = environment_factory(GAME, seat="random", opponent="random", brief=True, retries=0)


def conversation(index, luck, wrong=0.0):
    """A game of random legal moves, as TRL will play it; with chance *wrong* a move is illegal."""
    env = make()
    said = [{"role": "user", "content": env.reset(split="train", index=index)}]
    while not env.text.game.over:
        move = luck.choice([*notation.legal(env.text.game).values()])
        if luck.random() < wrong:
            move = "mark cell 9"
        call = {"type": "function", "function": {"name": "move", "arguments": {"move": move}}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        said.append({"role": "tool", "name": "move", "content": env.move(move)})
    said.append({"role": "assistant", "content": ""})  # the game is over: no more calls
    return {"messages": said, "tools": [get_json_schema(env.move)]}


def tokenizer_of(vocabulary):
    """A tokenizer with these tokens, and one of TRL's chat templates."""
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja"
    marks = {"pad_token": "<|endoftext|>", "eos_token": "<|im_end|>", "unk_token": "<|unknown|>"}
    tokens = [*marks.values(), "<|im_start|>", *vocabulary]
    words = Tokenizer(
        models.WordLevel({token: at for at, token in enumerate(tokens)}, "<|unknown|>")
    )
    words.pre_tokenizer = pre_tokenizers.Split(Regex(PART), "isolated")
    words.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        chat_template=template.read_text(encoding="utf-8"),
        extra_special_tokens=["<|im_start|>"],
        **marks,
    )


def vocabulary_of(games):
    """The tokens of all that is written in these games."""
    blank, found = tokenizer_of([]), set()
    for game in games:
        text = blank.apply_chat_template(game["messages"], tools=game["tools"], tokenize=False)
        for part in re.split(r"<\|\w+\|>", text):
            found |= {*re.split(f"({PART})", part)}
    return sorted(found - {""})


def rows(split, indices):
    """A dataset of games; the environment writes their prompts."""
    prompt = [{"role": "user", "content": ""}]
    return Dataset.from_list([{"prompt": prompt, "split": split, "index": at} for at in indices])


class Played:
    """Counts points and answers. TRL takes it for a reward function; it gives no reward."""

    __name__ = "played"

    def __init__(self):
        self.points, self.answers = [], {"move": 0, "illegal": 0, "unparsable": 0}

    def __call__(self, environments, **_):
        for env in environments:
            self.points.append((1 + env.get_reward()) / 2)
            given = env.text.game.answers(env.text.own[0])
            self.answers = {kind: count + given[kind] for kind, count in self.answers.items()}
        return [None] * len(environments)


class Curve(TrainerCallback):
    """Keeps the points and the time of each step, in a file if there is one."""

    def __init__(self, path, start):
        self.path, self.start, self.steps = path, start, []

    def on_log(self, args, state, control, logs=None, **_):
        if "reward" not in logs:
            return
        points = (1 + logs["reward"]) / 2
        self.steps.append({"step": state.global_step, "points": points, **spent(self.start)})
        if self.path:
            self.path.write_text(json.dumps(self.steps, indent=1))


def spent(start):
    """Seconds since *start* by the clock, and of this process on all cores."""
    return {
        "seconds": round(time.time() - start, 1),
        "core_seconds": round(time.process_time(), 1),
    }


def measured(trainer, played, games):
    """Points of the policy as it samples, on seeds that it was not trained on; how many decisions
    were moves, and how many legal.
    """
    played.__init__()
    trainer.evaluate(rows("test", range(games)))
    decisions = sum(played.answers.values())
    found = {
        "games": games,
        "points": statistics.mean(played.points),
        "error": statistics.stdev(played.points) / games**0.5,
        "moves": 1 - played.answers["unparsable"] / decisions,
        "legal": played.answers["move"] / decisions,
    }
    print({name: round(value, 4) for name, value in found.items()}, flush=True)
    return found


def draw(path, steps, before, after):
    """The curve: points in training, and those on unseen seeds before and after it."""
    width = max(1, len(steps) // 20)
    points = [step["points"] for step in steps]
    means = [statistics.mean(points[max(0, at + 1 - width) : at + 1]) for at in range(len(points))]
    at, unseen = [step["step"] for step in steps], (before, after)
    with drawn(path, (6.4, 3.6), "GRPO in tic-tac-toe, against random play") as axes:
        axes.plot(at, points, ".", color="#7f8ea3", markersize=3, label=f"a step, {AT_ONCE} games")
        axes.plot(at, means, color="#22d3ee", label=f"mean of {width} steps")
        axes.errorbar(
            [0, len(steps)],
            [found["points"] for found in unseen],
            [1.96 * found["error"] for found in unseen],
            fmt="o",
            color="#fbbf24",
            label=f"{before['games']:,} games on unseen seeds",
        )
        axes.axhline(0.5, color="#f472b6", linestyle="--", linewidth=1, label="random play")
        axes.set_xlabel("steps")
        axes.set_ylabel("points a game")
        axes.grid(linewidth=0.6)
        axes.legend(loc="lower right", fontsize=8, edgecolor="none", facecolor="none")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", type=Path, metavar="FOLDER")
    folder = parser.parse_args().whole
    taught, steps, games = WHOLE if folder else BRIEF
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    start, luck = time.time(), random.Random(0)
    set_seed(0)

    lessons = [conversation(at, luck) for at in range(taught)]
    mistakes = [conversation(at, luck, wrong=0.3) for at in range(200)]  # for their replies
    tokenizer = tokenizer_of(vocabulary_of(lessons[:200] + mistakes))
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=HIDDEN,
            intermediate_size=3 * HIDDEN,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )
    print(f"{model.num_parameters():,} parameters, {len(tokenizer)} tokens", flush=True)
    # It learns to predict the prompts, too: so it learns sooner which cells are marked.
    SFTTrainer(
        model,
        SFTConfig(
            num_train_epochs=1,
            per_device_train_batch_size=16,
            learning_rate=2e-3,
            lr_scheduler_type="cosine",
            warmup_steps=20,
            max_length=None,
            logging_steps=20,
            **ON_A_CPU,
        ),
        train_dataset=Dataset.from_list(lessons),
        processing_class=tokenizer,
    ).train()

    played = Played()
    curve = Curve(folder and folder / "curve.json", start)
    trainer = GRPOTrainer(
        model,
        reward_funcs=[played],
        args=GRPOConfig(
            max_steps=steps,
            num_generations=GENERATIONS,
            num_generations_eval=1,
            per_device_train_batch_size=AT_ONCE,
            per_device_eval_batch_size=250,
            max_completion_length=400,
            learning_rate=1e-4,
            logging_steps=1,
            **ON_A_CPU,
        ),
        train_dataset=rows("train", range(taught, taught + steps * AT_ONCE // GENERATIONS)),
        environment_factory=make,
        processing_class=tokenizer,
        callbacks=[curve],
    )
    before = measured(trainer, played, games)
    until = spent(start)
    played.__init__()
    trainer.train()
    assert len(played.points) == steps * AT_ONCE
    after = measured(trainer, played, games)
    assert before["moves"] >= 0.9, "it has not learnt how to answer"
    if folder:
        draw(folder / "curve.png", curve.steps, before, after)
        found = {"before": before, "taught in": until, "after": after, "in all": spent(start)}
        (folder / "found.json").write_text(json.dumps(found, indent=1))
        assert before["legal"] >= 0.95, "it has not learnt what is legal"
        gain, error = (
            after["points"] - before["points"],
            (before["error"] ** 2 + after["error"] ** 2) ** 0.5,
        )
        print(f"{gain:+.3f} points, standard error {error:.3f}")
        assert gain >= max(0.1, 3 * error), "it has not learnt to play"


if __name__ == "__main__":
    main()
