"""rein.docs: the pages of the documentation, as they came with the package."""

from __future__ import annotations

from pathlib import Path

from ._errors import Error

_FOLDER = Path(__file__).parent / "docs"


class Page(str):
    """A page, as Markdown. It shows as it is, and as a page in notebooks."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)


def docs(page: str = "README") -> Page:
    """A page of the documentation: rein.docs("budgets") is docs/budgets.md. The first page has links to all."""
    found = {str(path.relative_to(_FOLDER)): path for path in _FOLDER.rglob("*.md")}
    name = str(page).removeprefix("docs/").removesuffix(".md") + ".md"
    if name not in found:
        raise Error(f'docs: found "{page}"; accepted: {", ".join(sorted(key[:-3] for key in found))}')
    return Page(found[name].read_text(encoding="utf-8"))
