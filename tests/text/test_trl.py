"""TRL's own trainer over the games: a model that answers by rule, so that all of it is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import TextGame
from cyberdeck.text.splits import split_seed
from cyberdeck.text.trl import environment_factory

torch = pytest.importorskip("torch")
trl = pytest.importorskip("trl")
tokenizers = pytest.importorskip("tokenizers")
transformers = pytest.importorskip("transformers")
datasets = pytest.importorskip("datasets")

pytestmark = [
    pytest.mark.agents,
    pytest.mark.filterwarnings("ignore:.*which is an experimental feature:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*(deprecated|will be removed):FutureWarning"),
]

END = "<|im_end|>"


def a_tokenizer() -> Any:
    """Tokens for what is often in prompts, with one of TRL's templates."""
    words = tokenizers.Tokenizer(tokenizers.models.BPE())
    words.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = tokenizers.decoders.ByteLevel()
    game = TextGame("hackthegrid", list_moves=True)
    game.reset(0)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=1200, initial_alphabet=alphabet)
    words.train_from_iterator([game.prompt(game.deciding[0])], trainer)
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja"
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        chat_template=template.read_text(encoding="utf-8"),
        pad_token="<|endoftext|>",
        eos_token=END,
        extra_special_tokens=["<|im_start|>"],
    )


class Scripted(trl.GRPOTrainer):
    """Its model answers what *answer* makes of all that has been said; what it learns from is kept.

    Args:
        answer: from a conversation as a text to what is said next.
        factory: the environments.
        rows: the dataset's, each played twice.
        length: so many tokens a conversation may have after the prompt.
    """

    def __init__(
        self, tmp_path: Path, answer: Any, factory: Any, rows: list[Any], length: int = 20_000
    ) -> None:
        words = a_tokenizer()
        model = transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                vocab_size=len(words),
                hidden_size=8,
                intermediate_size=8,
                num_hidden_layers=1,
                num_attention_heads=1,
                max_position_embeddings=30_000,
                eos_token_id=words.eos_token_id,
                pad_token_id=words.pad_token_id,
                bos_token_id=None,
            )
        )

        def generate(input_ids: Any, attention_mask: Any, **_: Any) -> Any:
            said = [
                words.decode(ids[mask == 1])
                for ids, mask in zip(input_ids, attention_mask, strict=True)
            ]
            told = words([answer(text) + END for text in said], padding=True, return_tensors="pt")
            return torch.cat([input_ids, told["input_ids"]], dim=1)

        model.generate = generate
        self.learnt: dict[str, Any] = {}
        self.prompts: list[str] = []
        prompt = [{"role": "user", "content": ""}]
        super().__init__(
            model,
            args=trl.GRPOConfig(
                output_dir=str(tmp_path),
                use_cpu=True,
                bf16=False,
                report_to="none",
                save_strategy="no",
                logging_steps=1,
                max_steps=1,
                num_generations=2,
                per_device_train_batch_size=2 * len(rows),
                max_completion_length=length,
            ),
            train_dataset=datasets.Dataset.from_list([{"prompt": prompt, **row} for row in rows]),
            environment_factory=factory,
            processing_class=words,
        )

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        self.learnt = super()._generate_and_score_completions(inputs)
        return self.learnt

    def _calculate_rewards(self, inputs: Any, prompts: Any, *others: Any) -> Any:
        self.prompts = [prompt[0]["content"] for prompt in prompts]
        self.rewards = super()._calculate_rewards(inputs, prompts, *others)
        return self.rewards

    @property
    def learnt_from(self) -> list[str]:
        """What each model's output was, and nothing of what it was told."""
        both = self.learnt["completion_mask"] * self.learnt["tool_mask"]
        return [
            self.processing_class.decode(ids[mask == 1])
            for ids, mask in zip(self.learnt["completion_ids"], both, strict=True)
        ]


def call(move: str) -> str:
    return f'<tool_call>\n{{"name": "move", "arguments": {{"move": "{move}"}}}}\n</tool_call>'


def first_listed(text: str) -> str:
    """The first of the legal moves that the last prompt lists; nothing after the end."""
    if "The game is over." in text.rpartition("<tool_response>")[2]:
        return ""
    listed = text.rpartition("YOUR LEGAL MOVES\n")[2]
    return call(re.split(r", |\n", listed)[0])


def hackthegrid(**how: Any) -> Any:
    return environment_factory("hackthegrid", list_moves=True, brief=True, **how)


@pytest.mark.parametrize(
    ("answer", "length"),
    [
        (lambda text: "I would rather not.", 20_000),
        (lambda text: '<tool_call>\n{"name": "mo</tool_call>', 20_000),
        (lambda text: call("R99"), 1_500),
        (first_listed, 150),  # tokens: the first move, and no room for the second
    ],
)
def test_a_game_that_is_not_finished_is_lost(tmp_path: Path, answer: Any, length: int) -> None:
    trainer = Scripted(tmp_path, answer, hackthegrid(), [{"seed": 1}], length)
    trainer.train()
    assert trainer.rewards.flatten().tolist() == [-1, -1]
    assert all(env.text.game.gave_up == env.text.own for env in trainer.environments)


def test_games_are_played_to_their_ends_and_alike_in_a_group(tmp_path: Path) -> None:
    """An illegal move is answered, and tried again. What the model has said is learnt from."""

    def wrong_first(text: str) -> str:
        return first_listed(text) if "tries left" in text else call("R99")

    rows = [{"split": "test", "index": index} for index in (4, 5)]
    trainer = Scripted(tmp_path, wrong_first, hackthegrid(), rows)
    trainer.train()
    assert trainer.prompts[0] == trainer.prompts[1] != trainer.prompts[2] == trainer.prompts[3]
    games = [env.text.game for env in trainer.environments]
    assert all(game.over and not game.gave_up for game in games)
    returns = [env.text.game.returns[env.text.own[0]] for env in trainer.environments]
    assert trainer.rewards[:, 0].tolist() == returns
    assert games[0].actions == games[1].actions
    assert games[2].actions == games[3].actions
    assert [game.seed for game in games[::2]] == [split_seed("test", index) for index in (4, 5)]
    log = trainer.state.log_history[0]
    assert log["reward"] == sum(returns) / 4
    assert log["tools/failure_frequency"] == 0
    for said, env in zip(trainer.learnt_from, trainer.environments, strict=True):
        tried = re.findall(r'"move": "(.+?)"', said)
        answers = env.text.game.answers(env.text.own[0])
        assert said == "".join(call(move) + END for move in tried) + END
        assert tried[0] == "R99"
        assert (answers["illegal"], len(tried)) == (1, 1 + answers["move"])
        assert answers["move"] > 2
