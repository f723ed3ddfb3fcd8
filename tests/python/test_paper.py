"""Figures that fit a paper: one column or two, legends inside, PDF and SVG."""

import matplotlib
import pytest

import rein

matplotlib.use("Agg")


def test_a_comparison_has_a_panel_per_total_and_is_saved(tmp_path):
    found = rein.compare("linear(k=3,d=3,costs=positive,rate=0.3)", ["ccb", "uniform"], rounds=200, seeds=3)
    one = found.plot(tmp_path / "one.pdf")
    two = found.plot(tmp_path / "two.svg", columns=2)
    assert one.get_size_inches()[0] == pytest.approx(3.35) and two.get_size_inches()[0] == pytest.approx(6.9)
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF")
    text = (tmp_path / "two.svg").read_text()
    assert "budget" in text and "uniform" in text  # letters stay letters
    for axes in one.axes:
        legend = axes.get_legend()
        assert legend is not None and len(legend.get_texts()) >= 2
    with pytest.raises(rein.Error, match="1 or 2, the columns"):
        found.plot(columns=3)
    with pytest.raises(rein.Error, match=r"ends in .pdf, .svg or .png"):
        found.plot("figure")


def test_a_verification_has_the_slope_of_the_theorem(tmp_path):
    found = rein.verify(parts="c", seeds=2, first=8, last=10)
    figure = found.plot(tmp_path / "growth.svg", columns=2)
    assert [axes.get_ylabel() for axes in figure.axes] == ["regret", "ccv"]
    assert all(axes.get_xscale() == axes.get_yscale() == "log" for axes in figure.axes)
    assert "theorem" in (tmp_path / "growth.svg").read_text()
    with pytest.raises(rein.Error, match="part 'a' was not measured; accepted"):
        found.plot(part="a")
