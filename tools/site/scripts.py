"""The scripts of examples/ as notebooks, which Sphinx runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

#: Those that need no other libraries than the site has.
RUN = (
    "evaluate_saved_policy",
    "own_game",
    "pettingzoo_aec",
    "pettingzoo_parallel",
    "ppo",
    "sb3_dqn",
    "sb3_maskable_ppo",
)


def write(examples: Path, folder: Path) -> None:
    """Write the scripts as notebooks into *folder*; one that has not changed is left alone."""
    folder.mkdir(exist_ok=True)
    for name in RUN:
        book = notebook((examples / f"{name}.py").read_text("utf-8"))
        link = f"[examples/{name}.py](../../examples/{name}.py)"
        book.cells[0].source += f"\n\nThis is {link}, run when this site was built."
        for at, cell in enumerate(book.cells):
            cell.id = f"cell-{at}"
        path, text = folder / f"{name}.ipynb", nbformat.writes(book)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def notebook(text: str) -> NotebookNode:
    """A script as a notebook: its docstring first, and then a cell for each part that prints.

    >>> script = '"Say hello.\\n\\nTwice."\\n\\nimport os\\n\\nword = "hi"\\nprint(word, word)\\n'
    >>> [cell.source for cell in notebook(script).cells]
    ['# Say hello\\n\\nTwice.', 'import os', 'word = "hi"\\nprint(word, word)']
    """
    told, *statements = ast.parse(text).body
    assert isinstance(told, ast.Expr)
    assert isinstance(told.value, ast.Constant)
    title, _, rest = str(told.value.value).strip().partition("\n\n")
    title = " ".join(title.split()).removesuffix(".")
    rest = rest.replace("docs/install.md", "[docs/install.md](../install.md)")
    cells = [new_markdown_cell(f"# {title}\n\n{rest}".strip())]

    lines = re.sub(r"  # noqa: \w+", "", text).splitlines()
    part: list[str] = []
    done = told.end_lineno or 0

    def close() -> None:
        source = "\n".join(part).strip("\n")
        part.clear()
        if source:
            cells.append(new_code_cell(source))

    for at, statement in enumerate(statements):
        if at and _is_import(statements[at - 1]) and not _is_import(statement):
            close()
        end = statement.end_lineno or 0
        part += lines[done:end]
        done = end
        if "print(" in (ast.get_source_segment(text, statement) or "") and not isinstance(
            statement, ast.FunctionDef | ast.ClassDef
        ):
            close()
    part += lines[done:]
    close()
    return new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python", "pygments_lexer": "ipython3"},
        },
    )


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)
